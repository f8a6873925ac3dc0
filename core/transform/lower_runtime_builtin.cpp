// LowerRuntimeBuiltin: what is left of memory, shape and closure operators becomes calls of the VM's builtins.
//
// One row an operator: its name and the function that makes what stands in its place.
#include "core/op/operator_builtins.h"
#include "core/target/target.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Call;
using relax::Expr;

struct LowerContext {
  const build::ModuleContext& module;
};

std::vector<Expr> argsOf(const Call& call) { return call.args.vector(); }

const char* builtinOf(const Call& call) { return op::builtinOf(as<relax::Op>(call.op)->name.view())->builtin; }

/// The same arguments to the builtin, with the StructInfo of the call.
Expr toBuiltin(const Call& call, LowerContext&) { return callPacked(builtinOf(call), argsOf(call), {call.sinfo}); }

std::vector<Expr> withFields(const Call& call) {
  std::vector<Expr> args{call.args[0]};
  for (const Expr& field : fieldsOf(call.args[1])) args.push_back(field);
  return args;
}

Expr lowerCallTirDyn(const Call& call, LowerContext&) {
  return callPacked(builtinOf(call), withFields(call), {relax::voidSinfo()});
}

Expr lowerMakeClosure(const Call& call, LowerContext&) {
  return callPacked(builtinOf(call), withFields(call), {relax::objectSinfo()});
}

Expr lowerInvokeClosure(const Call& call, LowerContext&) {
  Expr packed = make<relax::Tuple>(Array<Expr>(withFields(call)));
  Expr builtin = make<relax::ExternFunc>(builtinOf(call));
  return make<Call>(op::opRef("relax.call_builtin_with_ctx"), Array<Expr>{builtin, packed}, nullptr, call.sinfoArgs,
                    call.sinfo);
}

Expr lowerAllocStorage(const Call& call, LowerContext&) {
  // The VM's form has the type before the scope, and storage is bytes.
  return op::makeCall("relax.vm.alloc_storage", {call.args[0], call.args[1], typeImm(DataType::UInt(8)), call.args[2]});
}

Expr lowerAllocTensor(const Call& call, LowerContext&) {
  std::vector<Expr> args = argsOf(call);
  if (args.size() == 4) args.push_back(primInt(0));
  return op::makeCall("relax.vm.alloc_tensor", std::move(args));
}

Expr lowerKill(const Call& call, LowerContext&) { return op::makeCall("relax.vm.kill_object", {call.args[0]}); }

/// Device type number of DLPack; that of the CPU for what is no target of this version.
int64_t deviceTypeOf(const ir::VDevice& device) {
  const target::KindRow* row = target::findKind(ir::targetKind(device.target));
  return row ? row->deviceType : 1;
}

Expr lowerToVDevice(const Call& call, LowerContext&) {
  NodeRef attr = ir::attrOf(call.attrs, "dst_vdevice");
  const auto* device = as<ir::VDevice>(attr);
  if (!device) return Ref<Call>(&call);
  std::vector<Expr> args{call.args[0], primInt(deviceTypeOf(*device)), primInt(device->vdeviceId),
                         textImm(device->memoryScope)};
  auto external = make<relax::ExternFunc>("vm.builtin.to_device");
  auto attrs = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{
      {"attrs_type_key", make<ir::StrAttr>("relax.attrs.ToVDeviceAttrs")}, {"dst_vdevice", attr}});
  return make<Call>(external, Array<Expr>(std::move(args)), attrs, Array<relax::StructInfo>{call.sinfo}, call.sinfo);
}

bool isVoidTuple(const Expr& expr) {
  const auto* tuple = as<relax::Tuple>(expr);
  return tuple && tuple->items.empty();
}

/// An empty tuple stands for "unchanged": shape and type are then those of the argument.
Expr lowerView(const Call& call, LowerContext&) {
  const auto* data = as<relax::TensorStructInfo>(call.args[0]->sinfo);
  Expr shape = call.args[1], dtype = call.args[2], offset = call.args[3];
  if (isVoidTuple(shape) && isVoidTuple(dtype) && isVoidTuple(offset)) return call.args[0];
  if (isVoidTuple(shape)) {
    if (!data || !data->shape) return Ref<Call>(&call);
    shape = data->shape;
  }
  if (isVoidTuple(dtype)) {
    if (!data || data->dtype.isVoid()) return Ref<Call>(&call);
    dtype = typeImm(data->dtype);
  }
  if (isVoidTuple(offset)) offset = primInt(0);
  auto lowered = callPacked("runtime.TVMTensorCreateView", {call.args[0], shape, dtype, offset});
  return make<Call>(lowered->op, lowered->args, nullptr, Array<relax::StructInfo>(), call.sinfo);
}

Expr lowerEnsureZeroOffset(const Call& call, LowerContext&) {
  auto lowered = callPacked(builtinOf(call), argsOf(call));
  return make<Call>(lowered->op, lowered->args, nullptr, Array<relax::StructInfo>(), call.sinfo);
}

struct LowerRow {
  std::string_view op;
  Expr (*lower)(const Call&, LowerContext&);
};
constexpr LowerRow kRows[] = {
    {"relax.reshape", toBuiltin},
    {"relax.shape_of", toBuiltin},
    {"relax.tensor_to_shape", toBuiltin},
    {"relax.shape_to_tensor", toBuiltin},
    {"relax.vm.call_tir_dyn", lowerCallTirDyn},
    {"relax.make_closure", lowerMakeClosure},
    {"relax.invoke_closure", lowerInvokeClosure},
    {"relax.memory.alloc_storage", lowerAllocStorage},
    {"relax.memory.alloc_tensor", lowerAllocTensor},
    {"relax.memory.kill_storage", lowerKill},
    {"relax.memory.kill_tensor", lowerKill},
    {"relax.memory.view", lowerView},
    {"relax.memory.ensure_zero_offset", lowerEnsureZeroOffset},
    {"relax.to_vdevice", lowerToVDevice},
};

class BuiltinLowerer : public build::Mutator {
 public:
  explicit BuiltinLowerer(build::ModuleContext& module) : Mutator("LowerRuntimeBuiltin", &module), context_{module} {}

 protected:
  Expr visitCall(const Ref<Call>& node) override {
    Expr visited = Mutator::visitCall(node);
    auto call = refAs<Call>(visited);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (!op) return visited;
    for (const LowerRow& row : kRows) {
      if (op->name == row.op) return row.lower(*call, context_);
    }
    return visited;
  }

 private:
  LowerContext context_;
};

}  // namespace

Result<ir::Module> lowerRuntimeBuiltin(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(
      module, pass.cancel, [](build::ModuleContext& context) { return std::make_unique<BuiltinLowerer>(context); });
}

}  // namespace rx::transform
