#include "core/debug/value.h"

#include <fmt/format.h>

#include "core/support/assert.h"
#include "core/support/diagnostic.h"

namespace rx::debug {

namespace {

/// How much of a text a line shows.
constexpr size_t kShownText = 80;

std::string tensorText(const Value& v) {
  // A scalar is its value; anything larger is its type.
  if (v.tensor->rank() == 0 && v.tensor->dtype().isIntegral())
    return fmt::format("{}: {}", v.tensor->intAt(0), v.tensor->dtype().str());
  if (v.tensor->rank() == 0) return fmt::format("{}: {}", v.tensor->at(0), v.tensor->dtype().str());
  return fmt::format("Tensor({}, {})", shapeText(v.tensor->shape()), v.tensor->dtype().str());
}

struct Row {
  ValueKind kind;
  std::string_view name;
  std::string (*text)(const Value&);
};
constexpr Row kRows[] = {
    {ValueKind::None, "none", [](const Value&) { return std::string("None"); }},
    {ValueKind::Tensor, "tensor", tensorText},
    {ValueKind::Shape, "shape", [](const Value& v) { return "shape" + shapeText(v.shape); }},
    {ValueKind::Int, "int", [](const Value& v) { return std::to_string(v.integer); }},
    {ValueKind::Float, "float", [](const Value& v) { return fmt::format("{}", v.real); }},
    {ValueKind::String, "string",
     [](const Value& v) {
       return '"' + escapedForDisplay(std::string_view(v.text).substr(0, kShownText)) +
              (v.text.size() > kShownText ? "…\"" : "\"");
     }},
    {ValueKind::DType, "dtype", [](const Value& v) { return v.text; }},
    {ValueKind::Tuple, "tuple", [](const Value& v) { return fmt::format("tuple of {}", v.items.size()); }},
    {ValueKind::Storage, "storage", [](const Value& v) { return fmt::format("storage, {} B", v.integer); }},
    {ValueKind::Closure, "closure", [](const Value& v) { return "closure " + escapedForDisplay(v.text); }},
    {ValueKind::Object, "object", [](const Value& v) { return escapedForDisplay(v.text); }},
    {ValueKind::Variant, "variant",
     [](const Value& v) {
       const std::string name = v.text.empty() ? fmt::format("constructor {}", v.integer) : escapedForDisplay(v.text);
       const size_t fields = v.items.size();
       return fields == 0 ? name : fmt::format("{} with {} field{}", name, fields, fields == 1 ? "" : "s");
     }},
};
static_assert(std::size(kRows) == static_cast<size_t>(ValueKind::kCount));

const Row& rowOf(ValueKind kind) {
  const Row& row = kRows[static_cast<size_t>(kind)];
  RX_ASSERT(row.kind == kind, "rows of value kinds are in the order of the enumeration");
  return row;
}

}  // namespace

std::string_view valueKindName(ValueKind kind) { return rowOf(kind).name; }

Value tensorValue(Ref<HostTensor> tensor) {
  Value value;
  value.kind = ValueKind::Tensor;
  value.tensor = std::move(tensor);
  return value;
}

Result<Value> itemAt(Value value, const std::vector<int>& path) {
  for (int item : path) {
    if (!value.kept) return value;
    if (item < 0 || static_cast<size_t>(item) >= value.items.size())
      return fail("debug.value", fmt::format("the tuple has no item {}", item));
    Value inner = value.items[static_cast<size_t>(item)];
    inner.described = value.described;
    value = std::move(inner);
  }
  return value;
}

std::string valueText(const Value& value) {
  const std::string text = rowOf(value.kind).text(value);
  return value.place.empty() ? text : text + " on " + escapedForDisplay(value.place);
}

}  // namespace rx::debug
