#include "app/rxs/package_values.h"

namespace rx::cli {

namespace {

Failure wrongResult(const std::string& what) { return fail("export.run", "a result of the package is " + what); }

}  // namespace

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
