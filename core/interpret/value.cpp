#include <fmt/format.h>

#include "core/interpret/interpret.h"

namespace rx::interpret {

TupleValue::TupleValue(std::vector<Value> v) : items(std::move(v)) {}
TupleValue::~TupleValue() = default;

std::string Value::summary() const {
  if (const auto* tensor = get<Ref<HostTensor>>()) {
    return *tensor ? fmt::format("Tensor({}, \"{}\")", shapeText((*tensor)->shape()), (*tensor)->dtype().str())
                   : "no tensor";
  }
  if (const auto* shape = get<ShapeValue>()) return "shape " + shapeText(*shape);
  if (const auto* i = get<int64_t>()) return std::to_string(*i);
  if (const auto* f = get<double>()) return fmt::format("{}", *f);
  if (const auto* b = get<bool>()) return *b ? "True" : "False";
  if (const auto* text = get<std::string>()) return '"' + *text + '"';
  if (const auto* type = get<DataType>()) return type->str();
  if (const auto* tuple = get<Ref<TupleValue>>()) return fmt::format("tuple of {}", (*tuple)->items.size());
  if (get<Ref<FunctionValue>>()) return "function";
  if (get<Ref<StorageValue>>()) return "storage";
  return "nothing";
}

}  // namespace rx::interpret
