// CallTIRRewrite: kernels write into arguments. Each output of call_tir, call_dps_packed and call_tir_inplace becomes
// an allocation (or the argument that is written in place), the call becomes a plain call, and the binding an alias.
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class DpsRewriter : public build::Mutator {
 public:
  explicit DpsRewriter(build::ModuleContext& module) : Mutator("CallTIRRewrite", &module), module_(module) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& node) override {
    relax::Expr visited = Mutator::visitCall(node);
    auto call = refAs<relax::Call>(visited);
    if (!call) return visited;
    bool inplace = isOp(call, "relax.call_tir_inplace");
    if (!inplace && !isOp(call, "relax.call_tir") && !isOp(call, "relax.call_dps_packed")) return visited;
    return lower(*call, inplace);
  }

 private:
  relax::Expr lower(const relax::Call& call, bool inplace) {
    relax::StructInfo result = call.sinfo ? call.sinfo : call.sinfoArgs[0];
    std::vector<relax::StructInfo> outputs{result};
    if (const auto* tuple = as<relax::TupleStructInfo>(result)) outputs = tuple->items.vector();
    std::vector<int64_t> indices =
        inplace ? inplaceIndices(call, outputs.size()) : std::vector<int64_t>(outputs.size(), -1);

    std::vector<relax::Expr> args = call.args.size() > 1 ? fieldsOf(call.args[1]) : std::vector<relax::Expr>();
    std::vector<relax::Expr> results, fresh;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (indices[i] >= 0 && indices[i] < static_cast<int64_t>(args.size())) {
        results.push_back(args[static_cast<size_t>(indices[i])]);
        continue;
      }
      relax::Expr allocated = allocate(call, outputs[i]);
      if (!allocated) return Ref<relax::Call>(&call);
      results.push_back(allocated);
      fresh.push_back(allocated);
    }
    args.insert(args.end(), fresh.begin(), fresh.end());
    emitCall(call, std::move(args));
    if (!isa<relax::TupleStructInfo>(result)) return results[0];
    return make<relax::Tuple>(Array<relax::Expr>(std::move(results)));
  }

  void emitCall(const relax::Call& call, std::vector<relax::Expr> args) {
    if (call.args.size() > 2) {
      args.push_back(call.args[2]);
      auto packed = make<relax::Tuple>(Array<relax::Expr>(std::move(args)));
      emitVoid(builder, op::makeCall("relax.vm.call_tir_dyn", {call.args[0], packed}));
      return;
    }
    emitVoid(builder, make<relax::Call>(call.args[0], Array<relax::Expr>(std::move(args))));
  }

  /// A new tensor of that StructInfo, or null with a diagnostic when its shape is not known here.
  relax::Expr allocate(const relax::Call& call, const relax::StructInfo& info) {
    const auto* tensor = as<relax::TensorStructInfo>(info);
    if (!tensor || !tensor->shape) {
      builder.report(errorAt(call.span, "pass.unknown-output-shape",
                             "the output of this call has no known shape, so it can not be allocated"));
      return nullptr;
    }
    auto [device, scope] = placeOf(tensor->vdevice);
    // Most allocations are of one type in one place: they share the arguments that say so.
    if (!type_ || !(type_->value == tensor->dtype)) type_ = make<relax::DataTypeImm>(tensor->dtype);
    if (!device_ || tir::asInt(device_->value) != device) device_ = refAs<relax::PrimValue>(primInt(device));
    if (!scope_ || !(scope_->value == scope)) scope_ = make<relax::StringImm>(scope);
    auto alloc = op::makeCall("relax.builtin.alloc_tensor", {tensor->shape, type_, device_, scope_}, {}, {info});
    return builder.emit(alloc, builder.names().fresh("alloc"));
  }

  /// Index of a virtual device among those of the module, and its memory scope.
  std::pair<int64_t, Str> placeOf(const Ref<ir::VDevice>& device) const {
    if (!device) return {0, global_};
    const auto* devices = as<ir::ArrayAttr>(ir::attrOf(module_.globalInfos(), "vdevice"));
    for (size_t i = 0; devices && i < devices->items.size(); ++i) {
      if (devices->items[i] == device) return {static_cast<int64_t>(i), device->memoryScope};
    }
    return {device->vdeviceId, device->memoryScope};
  }

  static std::vector<int64_t> inplaceIndices(const relax::Call& call, size_t count) {
    std::vector<int64_t> indices(count, -1);
    const auto* list = as<ir::ArrayAttr>(ir::attrOf(call.attrs, "inplace_indices"));
    for (size_t i = 0; list && i < count && i < list->items.size(); ++i) {
      const auto* index = as<ir::IntAttr>(list->items[i]);
      if (index) indices[i] = index->value;
    }
    return indices;
  }

  build::ModuleContext& module_;
  const Str global_{"global"};
  Ref<relax::DataTypeImm> type_;  ///< arguments of the last allocation
  Ref<relax::PrimValue> device_;
  Ref<relax::StringImm> scope_;
};

}  // namespace

Result<ir::Module> callTirRewrite(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(module, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<DpsRewriter>(context); });
}

}  // namespace rx::transform
