#include "core/analysis/live_ranges.h"

#include "core/analysis/free_vars.h"
#include "core/ir/reflect.h"

namespace rx::analysis {

namespace {

std::vector<relax::VarRef> usedVars(const relax::Expr& value) {
  if (isa<relax::TupleGetItem>(value)) return {};
  if (isa<relax::Function>(value)) return freeVars(value);
  std::vector<relax::VarRef> used;
  walk(*value, Into::Parts, [&](const Node& node) {
    if (const auto* var = as<relax::Var>(&node)) used.emplace_back(var);
    return !isa<tir::ExprNode>(&node);
  });
  return used;
}

}  // namespace

std::unordered_map<const relax::Var*, LiveRange> liveRanges(const relax::BindingBlock& block) {
  std::unordered_map<const relax::Var*, LiveRange> ranges;
  const auto count = static_cast<int64_t>(block.bindings.size());
  auto visible = [&](const relax::Var* var, int64_t at) { return isa<relax::DataflowVar>(var) ? at : count; };
  for (int64_t i = count; i-- > 0;) {
    const relax::Binding& binding = block.bindings[static_cast<size_t>(i)];
    const auto* plain = as<relax::VarBinding>(binding);
    for (const relax::VarRef& var : usedVars(plain ? plain->value : as<relax::MatchCast>(binding)->value)) {
      ranges.try_emplace(var.get(), LiveRange{-1, visible(var.get(), i)});
    }
    const relax::Var* bound = binding->var.get();
    ranges.try_emplace(bound, LiveRange{i, visible(bound, i)}).first->second.from = i;
  }
  return ranges;
}

}  // namespace rx::analysis
