// Dataflow patterns as text: one expression of tvm.relax.dpl, which is read and never evaluated.
#pragma once

#include <string_view>

#include "core/analysis/pattern.h"
#include "core/support/result.h"

namespace rx {
class Nearest;
}

namespace rx::analysis {

/// The operators of a language, which is_op names.
struct PatternOperators {
  bool (*knows)(std::string_view name);
  void (*offer)(std::string_view name, Nearest& nearest);  ///< what may have been meant by a name
};
const PatternOperators& relaxOperators();

/// Parentheses, calls and lists may nest so deep.
constexpr int kMaxPatternNesting = 1000;

/// `is_op("relax.nn.relu")((p0 := is_op("relax.nn.conv2d")(wildcard(), is_const())))`: functions and methods of the
/// module, `|`, `&`, `~`, `^`, `>>`, fields by `[0]`, names by `:=`. Spans of diagnostics are places in `text` (file
/// 0).
Result<DataflowPattern> readPattern(std::string_view text, const PatternOperators& operators = relaxOperators());

}  // namespace rx::analysis
