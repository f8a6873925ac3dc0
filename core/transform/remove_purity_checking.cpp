// RemovePurityChecking: later passes introduce allocations and kills; the purity that was checked is now promised by
// the attribute relax.force_pure, and the wrappers that only said "pure" are unwrapped.
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class PurityRemover : public build::Mutator {
 public:
  explicit PurityRemover(build::ModuleContext& module) : Mutator("RemovePurityChecking", &module) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    relax::FunctionRef rewritten = Mutator::visitFunction(function);
    if (!rewritten->isPure) return rewritten;
    return cast<relax::Function>(ir::withFunctionAttr(rewritten, "relax.force_pure", ir::boolAttr(true)));
  }

  relax::Expr visitCall(const Ref<relax::Call>& node) override {
    relax::Expr visited = Mutator::visitCall(node);
    auto call = refAs<relax::Call>(visited);
    if (!call) return visited;
    if (isOp(call, "relax.call_pure_packed")) return unwrapped(*call, call->attrs);
    if (isOp(call, "relax.call_inplace_packed")) return unwrapped(*call, nullptr);
    if (isOp(call, "relax.invoke_pure_closure")) {
      return make<relax::Call>(op::opRef("relax.invoke_closure"), call->args, call->attrs, call->sinfoArgs,
                               call->sinfo);
    }
    return visited;
  }

 private:
  static relax::Expr unwrapped(const relax::Call& call, ir::Attrs attrs) {
    Array<relax::Expr> args(call.args.begin() + 1, call.args.end());
    return make<relax::Call>(call.args[0], std::move(args), std::move(attrs), call.sinfoArgs, call.sinfo);
  }
};

}  // namespace

Result<ir::Module> removePurityChecking(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(module, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<PurityRemover>(context); });
}

}  // namespace rx::transform
