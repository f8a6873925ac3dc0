// LowerAllocTensor: a tensor allocation that memory planning left alone gets a storage of its own.
#include "core/arith/fold.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class AllocLowerer : public build::Mutator {
 public:
  explicit AllocLowerer(build::ModuleContext& module) : Mutator("LowerAllocTensor", &module) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& node) override {
    relax::Expr visited = Mutator::visitCall(node);
    auto call = callOf(visited, "relax.builtin.alloc_tensor");
    if (!call || call->args.size() != 4) return visited;
    const auto* dtype = as<relax::DataTypeImm>(call->args[1]);
    const auto* shape = call->args[0] ? as<relax::ShapeStructInfo>(call->args[0]->sinfo) : nullptr;
    if (!dtype || !shape || !shape->known) {
      builder.report(errorAt(call->span, "pass.unknown-size", "an allocation needs a known shape and element type"));
      return visited;
    }
    tir::PrimExpr bytes = tir::intImm(dtype->value.bytes());
    for (const tir::PrimExpr& dim : shape->values) bytes = arith::mul(bytes, dim);
    relax::Expr size = make<relax::ShapeExpr>(Array<tir::PrimExpr>{bytes});
    auto storage = builder.emit(
        op::makeCall("relax.memory.alloc_storage", {size, call->args[2], call->args[3], typeImm(DataType::UInt(8))}),
        builder.names().fresh("storage"));
    return op::makeCall("relax.memory.alloc_tensor",
                        {storage, primInt(0), call->args[0], call->args[1], call->args[2]});
  }
};

}  // namespace

Result<ir::Module> lowerAllocTensor(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(module, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<AllocLowerer>(context); });
}

}  // namespace rx::transform
