#include "core/transform/call_sites.h"

#include "core/build/mutator.h"

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

}  // namespace rx::transform
