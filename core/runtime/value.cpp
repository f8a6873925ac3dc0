#include "core/runtime/value.h"

#include <array>
#include <bit>
#include <cstring>

#include "core/runtime/callable.h"
#include "core/tensor/tensor_text.h"

namespace rx::vm {

std::string_view valueKindName(ValueKind kind) {
  static constexpr std::array<std::string_view, 15> kNames = {"null",    "int",      "float",   "bool",      "string",
                                                              "dtype",   "tensor",   "shape",   "tuple",     "closure",
                                                              "storage", "function", "machine", "reference", "object"};
  return kNames[static_cast<size_t>(kind)];
}

TupleObject::TupleObject(std::vector<Value> i, int64_t t) : items(std::move(i)), tag(t) {}
TupleObject::~TupleObject() = default;
ClosureObject::ClosureObject(uint32_t f, std::string n, std::vector<Value> c)
    : function(f), name(std::move(n)), captured(std::move(c)) {}
ClosureObject::~ClosureObject() = default;

Value Value::scalar(ValueKind kind, uint64_t bits) {
  Value value;
  value.kind_ = kind;
  value.bits_ = bits;
  return value;
}

Value Value::of(double v) { return scalar(ValueKind::Float, std::bit_cast<uint64_t>(v)); }
Value Value::of(DataType v) { return scalar(ValueKind::Type, std::bit_cast<uint32_t>(v)); }
Value Value::of(std::string text) { return Value(ValueKind::String, make<StringObject>(std::move(text))); }
Value Value::of(Ref<Callable> function) { return Value(ValueKind::Function, std::move(function)); }

void Value::wrongKind(ValueKind used) const {
  RX_ASSERT(kind_ == used, "a value of kind {} is used as {}", valueKindName(kind_), valueKindName(used));
  __builtin_unreachable();
}

const Callable& Value::asFunction() const { return object<Callable>(ValueKind::Function); }

bool Value::identical(const Value& other) const {
  // Pairs still to compare: nesting of tuples is as deep as the program makes it.
  std::vector<std::pair<const Value*, const Value*>> open = {{this, &other}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (a->same(*b)) continue;
    if (a->kind_ != b->kind_) return false;
    if (a->kind_ == ValueKind::Tensor) {
      if (!a->tensor().identical(b->tensor())) return false;
    } else if (a->kind_ == ValueKind::Shape) {
      if (a->asShape() != b->asShape()) return false;
    } else if (a->kind_ == ValueKind::String) {
      if (a->asString() != b->asString()) return false;
    } else if (a->kind_ == ValueKind::Storage) {
      const Ref<Storage> x = a->asStorage();
      const Ref<Storage> y = b->asStorage();
      if (x->bytes() != y->bytes() || std::memcmp(x->data(), y->data(), static_cast<size_t>(x->bytes())) != 0)
        return false;
    } else if (a->kind_ == ValueKind::Tuple || a->kind_ == ValueKind::Closure) {
      const bool closure = a->kind_ == ValueKind::Closure;
      if (!closure && a->tupleTag() != b->tupleTag()) return false;
      if (closure && a->asClosure().function != b->asClosure().function) return false;
      const auto& x = closure ? a->asClosure().captured : a->asTuple();
      const auto& y = closure ? b->asClosure().captured : b->asTuple();
      if (x.size() != y.size()) return false;
      for (size_t i = 0; i < x.size(); ++i) open.emplace_back(&x[i], &y[i]);
    } else {
      return false;
    }
  }
  return true;
}

std::string Value::summary() const {
  switch (kind_) {
    case ValueKind::Int:
      return fmt::format("{}", asInt());
    case ValueKind::Float:
      return fmt::format("{}", asFloat());
    case ValueKind::Bool:
      return asBool() ? "true" : "false";
    case ValueKind::String:
      return fmt::format("\"{}\"", escapedForDisplay(asString()));
    case ValueKind::Type:
      return asType().isVoid() ? "void" : asType().str();
    case ValueKind::Tensor:
      return tensorSummary(tensor());
    case ValueKind::Shape:
      return fmt::format("shape {}", shapeText(asShape()));
    case ValueKind::Tuple:
      if (tupleTag() == TupleObject::kPlain) return fmt::format("tuple of {}", asTuple().size());
      return fmt::format("constructor {} of {}", tupleTag(), asTuple().size());
    case ValueKind::Closure:
      return fmt::format("closure of {} with {} captured", asClosure().name, asClosure().captured.size());
    case ValueKind::Storage:
      return fmt::format("storage, {} B{}", asStorage()->bytes(), placeText(asStorage()->device()));
    case ValueKind::Function:
      return fmt::format("function {}", asFunction().name());
    case ValueKind::Null:
    case ValueKind::Machine:
    case ValueKind::Reference:
    case ValueKind::Opaque:
      break;
  }
  return std::string(valueKindName(kind_));
}

std::string valueText(const Value& value) {
  // Closing text and values still to print, last first.
  std::string out;
  struct Item {
    const Value* value;
    const char* text;
  };
  std::vector<Item> open = {{&value, nullptr}};
  while (!open.empty()) {
    const Item item = open.back();
    open.pop_back();
    if (item.text) {
      out += item.text;
    } else if (item.value->is(ValueKind::Tensor)) {
      out += tensorText(item.value->tensor());
    } else if (item.value->is(ValueKind::String)) {
      out += item.value->asString();
    } else if (item.value->is(ValueKind::Shape)) {
      out += fmt::format("[{}]", fmt::join(item.value->asShape(), ", "));
    } else if (item.value->is(ValueKind::Tuple)) {
      const auto& items = item.value->asTuple();
      out += '(';
      open.push_back({nullptr, items.size() == 1 ? ",)" : ")"});
      for (size_t i = items.size(); i-- > 0;) {
        open.push_back({&items[i], nullptr});
        if (i) open.push_back({nullptr, ", "});
      }
    } else {
      out += item.value->summary();
    }
  }
  return out;
}

}  // namespace rx::vm
