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

/// alloc_storage of a device and a type that the instruction itself names.
class ReadyStorage final : public PreparedCall {
 public:
  ReadyStorage(int64_t device, DataType dtype) : device_(device), dtype_(dtype) {}
  Outcome run(CallContext& context, PlannedArguments args, Value& result) override {
    if (!args[1].is(ValueKind::Shape)) return Outcome::Unfit;
    const auto bytes = tensorBytes(args[1].asShape(), dtype_);
    if (!bytes) return Outcome::Unfit;
    auto storage = context.around.allocate(*bytes, context.around.memoryOf(device_));
    if (!storage) return Outcome::Unfit;
    result = Value::of(std::move(*storage));
    return Outcome::Done;
  }

 private:
  int64_t device_;
  DataType dtype_;
};

/// alloc_tensor of a type that the instruction itself names.
class ReadyTensor final : public PreparedCall {
 public:
  explicit ReadyTensor(DataType dtype) : dtype_(dtype) {}
  std::optional<size_t> shapedBy() const override { return 2; }
  Outcome run(CallContext& context, PlannedArguments args, Value& result) override {
    if (!args[0].is(ValueKind::Storage) || !args[1].is(ValueKind::Int) || !args[2].is(ValueKind::Shape))
      return Outcome::Unfit;
    auto view = context.around.tensors->view(args[0].asStorage(), args[1].asInt(), args[2].asShape(), dtype_);
    if (!view) return Outcome::Unfit;
    result = std::move(*view);
    return Outcome::Done;
  }

 private:
  DataType dtype_;
};

std::unique_ptr<PreparedCall> prepareStorage(std::span<const PlannedArgument> places) {
  const bool named = (places.size() == 4 || (places.size() == 5 && places[4].names(ValueKind::String))) &&
                     places[0].names(ValueKind::Machine) && places[2].names(ValueKind::Int) &&
                     places[3].names(ValueKind::Type);
  if (!named) return nullptr;
  return std::make_unique<ReadyStorage>(places[2].fixed->asInt(), places[3].fixed->asType());
}

std::unique_ptr<PreparedCall> prepareTensor(std::span<const PlannedArgument> places) {
  const bool named = (places.size() == 4 || places.size() == 5) && places[3].names(ValueKind::Type);
  if (!named) return nullptr;
  return std::make_unique<ReadyTensor>(places[3].fixed->asType());
}

Result<Value> reshape(CallContext&, Args args) {
  RX_TRY(tensor, args[0].tensor().reshaped(args[1].asShape()));
  return Value::of(std::move(tensor));
}

class ReadyReshape final : public PreparedCall {
 public:
  std::optional<size_t> shapedBy() const override { return 1; }
  Outcome run(CallContext& context, PlannedArguments args, Value& result) override {
    if (!args[0].is(ValueKind::Tensor) || !args[1].is(ValueKind::Shape)) return Outcome::Unfit;
    const HostTensor& tensor = args[0].tensor();
    if (elementCount(args[1].asShape()) != tensor.count()) return Outcome::Unfit;
    auto view = context.around.tensors->view(tensor.storage(), tensor.byteOffset(), args[1].asShape(), tensor.dtype());
    if (!view) return Outcome::Unfit;
    result = std::move(*view);
    return Outcome::Done;
  }
};

std::unique_ptr<PreparedCall> prepareReshape(std::span<const PlannedArgument> places) {
  return places.size() == 2 ? std::make_unique<ReadyReshape>() : nullptr;
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
    {"vm.builtin.alloc_storage", "vsid?n", allocStorage, 0, -1, false, prepareStorage},
    {"vm.builtin.alloc_tensor", "Sisd?a", allocTensor, 0, -1, false, prepareTensor},
    {"vm.builtin.reshape", "Ts", reshape, 0, -1, false, prepareReshape},
    {"vm.builtin.to_device", "Tii?n", toDevice},
    {"vm.builtin.ensure_zero_offset", "T", ensureZeroOffset},
    {"runtime.TVMTensorCreateView", "Tsdi", createView},
    {"runtime.TVMArrayCreateView", "Tsdi", createView},
};

}  // namespace

std::span<const BuiltinRow> memoryBuiltins() { return kRows; }

}  // namespace rx::vm
