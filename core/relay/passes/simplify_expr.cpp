#include "core/relay/passes/simplify_rules.h"

namespace rx::relay {

namespace {

class Rules {
 public:
  Rules& add(PatternRule rule) {
    rules.push_back(std::move(rule));
    return *this;
  }
  Rules& add(std::vector<PatternRule> more) {
    for (PatternRule& rule : more) rules.push_back(std::move(rule));
    return *this;
  }
  std::vector<PatternRule> rules;
};

}  // namespace

Result<ir::Module> simplifyExpr(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  Rules all;
  all.add(concretizeRules()).add(sumOfSameRule()).add(reciprocalRootRule()).add(identityRule());
  all.add(reshapeRules()).add(transposeRules()).add(castRules()).add(fullOperandRule());
  all.add(constantRules(module)).add(dequantizedOrderRules()).add(clipRules()).add(binomialRule());
  return rewriteByRules(module, context, all.rules);
}

Result<ir::Module> simplifyExprPostAlterOp(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  Rules all;
  all.add(identityRule()).add(reshapeRules()).add(castRules()).add(clipRules());
  return rewriteByRules(module, context, all.rules);
}

}  // namespace rx::relay
