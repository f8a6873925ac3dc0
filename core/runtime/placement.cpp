#include "core/runtime/placement.h"

namespace rx::vm {
namespace {

bool liesIn(const HostTensor& tensor, const std::shared_ptr<DeviceArena>& place) {
  return tensor.device() == (place ? &place->device() : nullptr);
}

bool allLieIn(const Value& value, const std::shared_ptr<DeviceArena>& place) {
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.is(ValueKind::Tensor) && !liesIn(next.tensor(), place)) return false;
    if (next.is(ValueKind::Tuple))
      for (const Value& item : next.asTuple()) open.push_back(&item);
  }
  return true;
}

/// Copies all bytes of a tensor over those of another one of the same form.
Result<Unit> copyBytes(const HostTensor& from, const HostTensor& to) {
  if (from.bytes() == 0) return Unit();
  if (from.device() && from.device() == to.device())
    return from.device()->copy(to.handle(), from.handle(), from.bytes());
  const std::span<const std::byte> read(from.device() ? nullptr : from.data(), static_cast<size_t>(from.bytes()));
  if (!from.device()) return to.storage()->write(to.byteOffset(), read);
  if (!to.device()) return from.storage()->read(from.byteOffset(), {to.mutableData(), read.size()});
  RX_TRY(between, from.onHost());
  return to.storage()->write(to.byteOffset(), between->byteSpan());
}

/// A tuple that is made anew, item by item.
struct OpenTuple {
  const Value* tuple;
  std::vector<Value> items = {};
};

}  // namespace

Result<Ref<HostTensor>> copyTo(const Surroundings& around, const HostTensor& tensor,
                               const std::shared_ptr<DeviceArena>& place) {
  RX_TRY(storage, around.allocate(tensor.bytes(), place));
  storage->markWritten();
  RX_TRY(copy, HostTensor::view(std::move(storage), 0, tensor.shape(), tensor.dtype()));
  RX_CHECK(copyBytes(tensor, *copy));
  return copy;
}

Result<Value> valueIn(const Surroundings& around, const Value& value, const std::shared_ptr<DeviceArena>& place) {
  if (allLieIn(value, place)) return value;
  std::vector<OpenTuple> open;
  Value done;
  for (const Value* next = &value;;) {
    if (next->is(ValueKind::Tuple) && !next->asTuple().empty()) {
      open.push_back({next});
      next = &next->asTuple().front();
      continue;
    }
    done = *next;
    if (next->is(ValueKind::Tensor) && !liesIn(next->tensor(), place)) {
      RX_TRY(copy, copyTo(around, next->tensor(), place));
      done = Value::of(std::move(copy));
    }
    while (!open.empty()) {
      OpenTuple& tuple = open.back();
      tuple.items.push_back(std::move(done));
      if (tuple.items.size() < tuple.tuple->asTuple().size()) break;
      done = Value::variant(tuple.tuple->tupleTag(), std::move(tuple.items));
      open.pop_back();
    }
    if (open.empty()) return done;
    next = &open.back().tuple->asTuple()[open.back().items.size()];
  }
}

Result<Value> callPlaced(const Callable& function, CallContext& context, Arguments args) {
  if (context.around.devices.empty()) return function.call(context, args);
  std::vector<const Value*> placed;
  std::vector<Value> copies;
  placed.reserve(args.size());
  copies.reserve(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    placed.push_back(&args[i]);
    const auto device = function.reaches(i);
    if (!device) continue;
    RX_TRY(there, valueIn(context.around, args[i], context.around.memoryOf(*device)));
    if (there.same(args[i])) continue;
    copies.push_back(std::move(there));
    placed.back() = &copies.back();
  }
  if (copies.empty()) return function.call(context, args);
  RX_TRY(result, function.call(context, std::span<const Value* const>(placed)));
  for (size_t i = 0; i < args.size(); ++i) {
    const bool copied = placed[i] != &args[i] && args[i].is(ValueKind::Tensor);
    if (copied && function.mayWrite(i)) RX_CHECK(copyBytes(placed[i]->tensor(), args[i].tensor()));
  }
  return result;
}

}  // namespace rx::vm
