// ComputePrimValue: a scalar that is a computed symbolic expression is made at run time by a small host function of its
// free variables.
#include "core/arith/equal.h"
#include "core/op/tir_intrinsics.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

tir::PrimFuncRef computeFunction(const tir::PrimExpr& value, const std::vector<tir::VarRef>& vars) {
  std::vector<tir::BufferRef> buffers(vars.size());
  tir::Stmt body = make<tir::Evaluate>(make<tir::Call>(value->dtype, op::tirOp("ret"), Array<tir::PrimExpr>{value}));
  auto attrs = ir::withAttr(nullptr, "tirx.is_host_func", ir::boolAttr(true));
  return make<tir::PrimFunc>(Array<tir::VarRef>(vars), Array<tir::BufferRef>(std::move(buffers)), body,
                             tir::Type(make<tir::PrimType>(value->dtype)), attrs);
}

class PrimValueComputer : public build::Mutator {
 public:
  explicit PrimValueComputer(build::ModuleContext& module) : Mutator("ComputePrimValue", &module), module_(module) {}

 protected:
  relax::Expr visitPrimValue(const Ref<relax::PrimValue>& node) override {
    if (isa<tir::IntImm>(node->value) || isa<tir::FloatImm>(node->value) || isa<tir::Var>(node->value)) return node;
    std::vector<tir::VarRef> vars = arith::freeVars(node->value);
    relax::GlobalVarRef function = module_.add(computeFunction(node->value, vars), "compute_symbolic_expr");
    std::vector<relax::Expr> args;
    for (const tir::VarRef& var : vars) args.push_back(make<relax::PrimValue>(var));
    return make<relax::Call>(function, Array<relax::Expr>(std::move(args)));
  }

 private:
  build::ModuleContext& module_;
};

}  // namespace

Result<ir::Module> computePrimValue(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(
      module, pass.cancel, [](build::ModuleContext& context) { return std::make_unique<PrimValueComputer>(context); });
}

}  // namespace rx::transform
