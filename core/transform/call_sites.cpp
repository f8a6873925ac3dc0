#include "core/transform/call_sites.h"

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

class CallRewriter : public build::Mutator {
 public:
  CallRewriter(Str pass, build::ModuleContext& context, const CallUpdate& update)
      : Mutator(std::move(pass), &context), update_(update) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& node) override {
    relax::Expr visited = Mutator::visitCall(node);
    const auto* call = as<relax::Call>(visited);
    relax::Expr updated = call ? update_(*call, builder) : nullptr;
    return updated ? updated : visited;
  }

 private:
  const CallUpdate& update_;
};

}  // namespace

Result<relax::FunctionRef> rewriteCalls(const relax::FunctionRef& function, Str pass, build::ModuleContext& context,
                                        const CallUpdate& update) {
  return CallRewriter(std::move(pass), context, update).rewrite(function);
}

std::unordered_set<std::string_view> functionsAsValues(const ir::IRModule& module) {
  std::unordered_set<std::string_view> found;
  std::vector<const Node*> children;
  for (const auto& [var, function] : module.entries()) {
    if (!isa<relax::Function>(function)) continue;
    walk(*function, Into::Parts, [&](const Node& node) {
      children.clear();
      appendChildren(node, Into::Parts, children);
      const auto* call = as<relax::Call>(&node);
      if (call) std::erase(children, call->op.get());
      for (const Node* child : children)
        if (const auto* global = as<relax::GlobalVar>(child)) found.insert(global->name.view());
      // A function that is called with itself is a value as well.
      if (call && std::find(call->args.begin(), call->args.end(), call->op) != call->args.end())
        if (const auto* global = as<relax::GlobalVar>(call->op)) found.insert(global->name.view());
      return true;
    });
  }
  return found;
}

KernelCalls plainKernelCalls(const ir::IRModule& module) {
  KernelCalls calls;
  std::unordered_map<std::string_view, size_t> uses;
  for (const ir::BaseFunc& function : module.functions) {
    walk(*function, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<relax::GlobalVar>(&node)) ++uses[var->name.view()];
      const auto* call = as<relax::Call>(&node);
      const bool plain = call && isOp(Ref<relax::Call>(call), "relax.call_tir") && call->args.size() >= 2 &&
                         isa<relax::Tuple>(call->args[1]);
      if (const auto* kernel = plain ? as<relax::GlobalVar>(call->args[0]) : nullptr)
        calls[kernel->name.view()].push_back(call);
      return true;
    });
  }
  std::erase_if(calls, [&](const auto& row) { return row.second.size() != uses[row.first]; });
  return calls;
}

}  // namespace rx::transform
