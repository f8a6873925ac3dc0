// StaticPlanBlockMemory: tensors whose lives do not overlap share storage (storage_plan.h).
//
// Where the function asks for it (relax.memory_plan_dynamic_func_output), results of symbolic size get storage too.
#include "core/arith/fold.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"
#include "core/transform/storage_plan.h"

namespace rx::transform {

namespace {

/// The attribute by which a function has its results of symbolic size planned; the pass takes it away.
constexpr std::string_view kPlanOutput = "relax.memory_plan_dynamic_func_output";

class PlanRewriter : public build::Mutator {
 public:
  explicit PlanRewriter(build::ModuleContext& module)
      : Mutator("StaticPlanBlockMemory", &module), cancel_(module.cancel()) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    const ShapeBounds bounds(*function);
    plan_ = planStorage(*function, bounds, cancel_);
    storages_.clear();
    outputBounds_ = ir::boolAttrOf(function->attrs, kPlanOutput, false) ? &bounds : nullptr;
    relax::FunctionRef planned = Mutator::visitFunction(function);
    if (outputBounds_)
      planned = refAs<relax::Function>(ir::withFunctionAttrs(planned, ir::withoutAttr(planned->attrs, kPlanOutput)));
    outputBounds_ = nullptr;
    return planned;
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    auto alloc = callOf(binding->value, kAllocTensor);
    relax::Expr storage = alloc ? storageOf(*binding->var, *alloc) : nullptr;
    if (!storage) return Mutator::visitVarBinding(binding);
    rebind(binding, op::makeCall("relax.memory.alloc_tensor",
                                 {storage, primInt(0), alloc->args[0], alloc->args[1], alloc->args[2]}));
  }

 private:
  /// The storage that is planned for an allocation, null when it keeps one of its own.
  relax::Expr storageOf(const relax::Var& var, const relax::Call& alloc) {
    if (const std::shared_ptr<StorageToken>* planned = plan_.find(&var)) {
      relax::Expr& storage = storages_[planned->get()];
      if (!storage) storage = emitStorage((*planned)->bytes, alloc);
      return storage;
    }
    const auto* shape = as<relax::ShapeExpr>(alloc.args[0]);
    const auto* dtype = as<relax::DataTypeImm>(alloc.args[1]);
    if (!outputBounds_ || !shape || !dtype || allConstant(shape->values)) return nullptr;
    tir::PrimExpr bytes = tir::intImm(1);
    for (const tir::PrimExpr& dim : shape->values) bytes = arith::mul(bytes, outputBounds_->upper(dim));
    return emitStorage(arith::mul(bytes, tir::intImm(dtype->value.bytes())), alloc);
  }

  relax::Expr emitStorage(const tir::PrimExpr& bytes, const relax::Call& alloc) {
    relax::Expr size = make<relax::ShapeExpr>(Array<tir::PrimExpr>{bytes});
    return builder.emit(op::makeCall("relax.memory.alloc_storage", {size, alloc.args[2], alloc.args[3], alloc.args[1]}),
                        builder.names().fresh("storage"));
  }

  const CancelToken& cancel_;
  StoragePlan plan_;
  std::unordered_map<const StorageToken*, relax::Expr> storages_;
  const ShapeBounds* outputBounds_ = nullptr;  ///< set where results of symbolic size are planned
};

}  // namespace

Result<ir::Module> staticPlanBlockMemory(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(module, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<PlanRewriter>(context); });
}

}  // namespace rx::transform
