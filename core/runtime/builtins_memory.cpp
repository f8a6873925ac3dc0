// Builtins that allocate, view and copy memory, of the host and of devices. A device that the run does not have is the
// host.
#include <algorithm>

#include "core/runtime/placement.h"
#include "core/runtime/prepared_call.h"
#include "core/runtime/registry.h"

namespace rx::vm {
namespace {

using Args = Arguments;

/// alloc_storage(machine, shape, device, dtype[, scope]): bytes of that shape and type.
Result<Value> allocStorage(CallContext& context, Args args) {
  const auto bytes = tensorBytes(args[1].asShape(), args[3].asType());
  if (!bytes) {
    return fail("vm.shape", fmt::format("storage of shape {} can not be allocated", shapeText(args[1].asShape())));
  }
  RX_TRY(storage, context.around.allocate(*bytes, context.around.memoryOf(args[2].asInt())));
  return Value::of(std::move(storage));
}

/// alloc_tensor(storage, byte offset, shape, dtype[, scope or device]).
Result<Value> allocTensor(CallContext& context, Args args) {
  return context.around.tensors->view(args[0].asStorage(), args[1].asInt(), args[2].asShape(), args[3].asType());
}

/// alloc_tensor of an offset, a shape and a type that the instruction itself names.
class FixedTensor final : public PreparedCall {
 public:
  FixedTensor(const Value& shape, int64_t offset, DataType dtype) : shape_(shape), offset_(offset), dtype_(dtype) {}
  Outcome run(CallContext& context, PlannedArguments args, Value& result) override {
    if (!args[0].is(ValueKind::Storage)) return Outcome::Unfit;
    auto view = context.around.tensors->view(args[0].asStorage(), offset_, shape_.asShape(), dtype_);
    if (!view) return Outcome::Unfit;
    result = std::move(*view);
    return Outcome::Done;
  }

 private:
  const Value& shape_;
  int64_t offset_;
  DataType dtype_;
};

std::unique_ptr<PreparedCall> prepareTensor(std::span<const PlannedArgument> places) {
  const auto is = [&](size_t i, ValueKind kind) { return places[i].fixed && places[i].fixed->is(kind); };
  const bool fixed = (places.size() == 4 || places.size() == 5) && is(1, ValueKind::Int) && is(2, ValueKind::Shape) &&
                     is(3, ValueKind::Type);
  if (!fixed) return nullptr;
  return std::make_unique<FixedTensor>(*places[2].fixed, places[1].fixed->asInt(), places[3].fixed->asType());
}

Result<Value> reshape(CallContext&, Args args) {
  RX_TRY(tensor, args[0].tensor().reshaped(args[1].asShape()));
  return Value::of(std::move(tensor));
}

Result<Value> createView(CallContext&, Args args) {
  const HostTensor& tensor = args[0].tensor();
  const int64_t offset = args[3].asInt();
  const auto bytes = tensorBytes(args[1].asShape(), args[2].asType());
  if (offset < 0 || !bytes || offset > tensor.bytes() || *bytes > tensor.bytes() - offset) {
    return fail("vm.view",
                fmt::format("a view {} of \"{}\" at byte {} does not lie in {}", shapeText(args[1].asShape()),
                            args[2].asType().str(), offset, args[0].summary()));
  }
  RX_TRY(view, HostTensor::view(tensor.storage(), tensor.byteOffset() + offset, args[1].asShape(), args[2].asType()));
  return Value::of(std::move(view));
}

/// to_device(tensor, type, number[, scope]): a copy on the device that has this type and number.
Result<Value> toDevice(CallContext& context, Args args) {
  const auto& devices = context.around.devices;
  const auto device = std::find_if(devices.begin(), devices.end(), [&](const RunDevice& row) {
    return row.type == args[1].asInt() && row.number == args[2].asInt();
  });
  RX_TRY(tensor, copyTo(context.around, args[0].tensor(), device == devices.end() ? nullptr : device->memory));
  return Value::of(std::move(tensor));
}

/// ensure_zero_offset(tensor): itself or a copy beside it.
Result<Value> ensureZeroOffset(CallContext& context, Args args) {
  const HostTensor& tensor = args[0].tensor();
  if (tensor.byteOffset() == 0) return args[0];
  RX_TRY(copy, copyTo(context.around, tensor, context.around.arenaOf(tensor)));
  return Value::of(std::move(copy));
}

constexpr BuiltinRow kRows[] = {
    {"vm.builtin.alloc_storage", "vsid?n", allocStorage},
    {"vm.builtin.alloc_tensor", "Sisd?a", allocTensor, 0, -1, false, prepareTensor},
    {"vm.builtin.reshape", "Ts", reshape},
    {"vm.builtin.to_device", "Tii?n", toDevice},
    {"vm.builtin.ensure_zero_offset", "T", ensureZeroOffset},
    {"runtime.TVMTensorCreateView", "Tsdi", createView},
    {"runtime.TVMArrayCreateView", "Tsdi", createView},
};

}  // namespace

std::span<const BuiltinRow> memoryBuiltins() { return kRows; }

}  // namespace rx::vm
