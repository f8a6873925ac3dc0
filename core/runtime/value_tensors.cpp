#include "core/runtime/value_tensors.h"

namespace rx::vm {

namespace {

Result<Ref<HostTensor>> tensorOf(const Value& value) {
  if (value.is(ValueKind::Tensor)) return value.asTensor();
  if (value.is(ValueKind::Int)) return HostTensor::scalarInt(DataType::Int(64), value.asInt());
  if (value.is(ValueKind::Bool)) return HostTensor::scalarInt(DataType::Int(64), value.asBool());
  if (value.is(ValueKind::Float)) return HostTensor::scalar(DataType::Float(64), value.asFloat());
  if (value.is(ValueKind::Shape)) {
    const std::vector<int64_t>& dims = value.asShape();
    return HostTensor::fromInts({static_cast<int64_t>(dims.size())}, DataType::Int(64), dims);
  }
  return fail("vm.form", "not available: packages take and give tensors, shapes and numbers, not " + value.summary());
}

}  // namespace

Result<std::vector<Ref<HostTensor>>> tensorsOf(std::span<const Value> values) {
  std::vector<Ref<HostTensor>> out;
  std::vector<const Value*> open;
  auto later = [&](std::span<const Value> items) {
    for (size_t i = items.size(); i-- > 0;) open.push_back(&items[i]);
  };
  later(values);
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.is(ValueKind::Tuple)) {
      later(next.asTuple());
    } else if (!next.isNull()) {
      RX_TRY(tensor, tensorOf(next));
      out.push_back(std::move(tensor));
    }
  }
  return out;
}

}  // namespace rx::vm
