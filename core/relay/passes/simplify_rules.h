// The rules of SimplifyExpr, by family. Private to core/relay.
#pragma once

#include "core/relay/passes/graph_pattern.h"

namespace rx::relay {

/// zeros_like and its kin as operators that state the shape.
std::vector<PatternRule> concretizeRules();
/// Chains of reshape, transpose, cast and clip.
std::vector<PatternRule> reshapeRules();
std::vector<PatternRule> transposeRules();
std::vector<PatternRule> castRules();
std::vector<PatternRule> clipRules();
/// Sums and products. `module` is that of the constants that are folded.
PatternRule sumOfSameRule();
PatternRule reciprocalRootRule();
PatternRule identityRule();
PatternRule fullOperandRule();
std::vector<PatternRule> constantRules(const ir::Module& module);
PatternRule binomialRule();
/// argmax, argmin and argsort of dequantized values.
std::vector<PatternRule> dequantizedOrderRules();

}  // namespace rx::relay
