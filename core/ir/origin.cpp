#include "core/ir/origin.h"

#include <algorithm>
#include <tuple>

#include "core/ir/module.h"

namespace rx {

OriginRef mergeOrigins(const OriginRef& a, const OriginRef& b, const Str& pass) {
  std::vector<OriginSite> sites;
  for (const OriginRef& origin : {a, b}) {
    if (origin) sites.insert(sites.end(), origin->sites.begin(), origin->sites.end());
  }
  auto key = [](const OriginSite& s) { return std::tuple(s.function.view(), s.block, s.binding); };
  std::sort(sites.begin(), sites.end(), [&](const OriginSite& x, const OriginSite& y) { return key(x) < key(y); });
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return make<Origin>(Array<OriginSite>(std::move(sites)), pass);
}

namespace {

/// A sequence that is being walked; blocks are numbered as they are entered.
struct OpenSequence {
  const relax::SeqExpr* sequence;
  size_t block = 0, binding = 0;
  uint32_t number = 0;
};

/// Sequences in the value of a binding, last first, as a stack wants them: branches, or the body of a local function.
std::vector<const relax::SeqExpr*> sequencesIn(const relax::BindingNode& binding) {
  const auto* plain = as<relax::VarBinding>(&binding);
  if (!plain) return {};
  if (const auto* branch = as<relax::If>(plain->value)) return {branch->falseBranch.get(), branch->trueBranch.get()};
  if (const auto* local = as<relax::Function>(plain->value)) return {local->body.get()};
  return {};
}

void giveOwnOrigins(const Str& name, const relax::Function& function) {
  uint32_t blocks = 0;
  std::vector<OpenSequence> open{{function.body.get()}};
  while (!open.empty()) {
    OpenSequence& top = open.back();
    if (top.block == top.sequence->blocks.size()) {
      open.pop_back();
      continue;
    }
    const relax::BlockRef& block = top.sequence->blocks[top.block];
    if (top.binding == 0) top.number = blocks++;
    if (top.binding == block->bindings.size()) {
      ++top.block;
      top.binding = 0;
      continue;
    }
    uint32_t index = static_cast<uint32_t>(top.binding++);
    auto* binding = const_cast<relax::BindingNode*>(block->bindings[index].get());
    if (!binding->origin) {
      OriginSite site{name, top.number, index, binding->var->name, binding->span};
      binding->origin = make<Origin>(Array<OriginSite>{site}, Str());
    }
    const auto* plain = as<relax::VarBinding>(binding);
    auto* call = const_cast<relax::Call*>(plain ? as<relax::Call>(plain->value) : nullptr);
    // Else the first pass would give it one, and by that another call.
    if (call && !call->origin) call->origin = binding->origin;
    for (const relax::SeqExpr* inner : sequencesIn(*binding)) open.push_back({inner});
  }
}

}  // namespace

void giveOwnOrigins(const ir::IRModule& module) {
  for (size_t i = 0; i < module.size(); ++i) {
    if (const auto* function = as<relax::Function>(module.functions[i]))
      giveOwnOrigins(module.vars[i]->name, *function);
  }
}

}  // namespace rx
