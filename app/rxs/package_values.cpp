#include "app/rxs/package_values.h"

namespace rx::cli {

namespace {

template <class T>
Result<Ref<HostTensor>> tensorOf(std::vector<int64_t> shape, DataType dtype, std::span<const T> elements) {
  return HostTensor::fromBytes(std::move(shape), dtype, std::as_bytes(elements));
}

Failure wrongResult(const std::string& what) { return fail("export.run", "a result of the package is " + what); }

}  // namespace

Result<Unit> addTensors(const vm::Value& value, std::vector<Ref<HostTensor>>& out) {
  auto add = [&](Result<Ref<HostTensor>> tensor) -> Result<Unit> {
    if (!tensor) return fail(tensor.diagnostics());
    out.push_back(*tensor);
    return Unit{};
  };
  switch (value.kind()) {
    case vm::ValueKind::Tuple:
      for (const vm::Value& item : value.asTuple()) RX_CHECK(addTensors(item, out));
      return Unit{};
    case vm::ValueKind::Tensor:
      out.push_back(Ref<HostTensor>(&value.tensor()));
      return Unit{};
    case vm::ValueKind::Shape: {
      const std::vector<int64_t>& dims = value.asShape();
      return add(tensorOf<int64_t>({static_cast<int64_t>(dims.size())}, DataType::Int(64), dims));
    }
    case vm::ValueKind::Int:
    case vm::ValueKind::Bool: {
      const int64_t number = value.is(vm::ValueKind::Int) ? value.asInt() : value.asBool();
      return add(tensorOf<int64_t>({}, DataType::Int(64), {&number, 1}));
    }
    case vm::ValueKind::Float: {
      const double number = value.asFloat();
      return add(tensorOf<double>({}, DataType::Float(64), {&number, 1}));
    }
    default:
      return fail("export.unsupported",
                  "not available: packages take and give tensors, shapes and numbers, not " + value.summary());
  }
}

Result<vm::Value> takeValue(const relax::StructInfo& info, std::span<const Ref<HostTensor>>& tensors) {
  if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
    std::vector<vm::Value> items;
    for (const relax::StructInfo& item : tuple->items) {
      RX_TRY(value, takeValue(item, tensors));
      items.push_back(std::move(value));
    }
    return vm::Value::tuple(std::move(items));
  }
  if (tensors.empty()) return wrongResult("missing");
  const Ref<HostTensor> tensor = tensors.front();
  tensors = tensors.subspan(1);
  if (isa<relax::ShapeStructInfo>(info)) {
    if (tensor->rank() != 1 || tensor->dtype() != DataType::Int(64)) return wrongResult("no shape");
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < tensor->shape()[0]; ++i) dims.push_back(tensor->intAt(i));
    return vm::Value::shape(std::move(dims));
  }
  const auto* prim = as<relax::PrimStructInfo>(info);
  if (!prim) return vm::Value::of(tensor);
  if (tensor->count() != 1) return wrongResult("no number");
  if (prim->dtype.isFloat()) return vm::Value::of(tensor->at(0));
  const int64_t number = tensor->intAt(0);
  return prim->dtype.isBool() ? vm::Value::of(number != 0) : vm::Value::of(number);
}

}  // namespace rx::cli
