#include "core/store/value.h"

namespace rx::store {
namespace {

/// Tuples and closures inside each other.
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxRank = 1 << 20;

}  // namespace

void ValueEncoder::type(DataType type) {
  out_.byte(static_cast<uint8_t>(type.code));
  out_.byte(type.bits);
  out_.signedNumber(type.lanes);
}

void ValueEncoder::dims(std::span<const int64_t> dims) {
  out_.number(dims.size());
  for (int64_t dim : dims) out_.signedNumber(dim);
}

void ValueEncoder::integer(int64_t value) {
  kind(ValueKind::Int);
  out_.signedNumber(value);
}

void ValueEncoder::real(double value) {
  kind(ValueKind::Float);
  out_.real(value);
}

void ValueEncoder::string(std::string_view text) {
  kind(ValueKind::String);
  out_.text(text);
}

void ValueEncoder::dtype(DataType value) {
  kind(ValueKind::DType);
  type(value);
}

void ValueEncoder::shape(std::span<const int64_t> values) {
  kind(ValueKind::Shape);
  dims(values);
}

void ValueEncoder::tensor(const TensorPlace& tensor) {
  kind(ValueKind::Tensor);
  out_.number(tensor.storage);
  out_.signedNumber(tensor.offset);
  type(tensor.dtype);
  dims(tensor.shape);
}

void ValueEncoder::storage(uint32_t number) {
  kind(ValueKind::Storage);
  out_.number(number);
}

void ValueEncoder::tuple(size_t items) {
  kind(ValueKind::Tuple);
  out_.number(items);
}

void ValueEncoder::variant(int64_t constructor, size_t fields) {
  kind(ValueKind::Variant);
  out_.signedNumber(constructor);
  out_.number(fields);
}

void ValueEncoder::closure(std::string_view name, size_t captured) {
  kind(ValueKind::Closure);
  out_.text(name);
  out_.number(captured);
}

void ValueEncoder::object(std::string_view shown) {
  kind(ValueKind::Object);
  out_.text(shown);
}

void ValueEncoder::value(const Value& root) {
  std::vector<const Value*> open{&root};
  while (!open.empty()) {
    const Value& v = *open.back();
    open.pop_back();
    switch (v.kind) {
      case ValueKind::Int:
        integer(v.integer);
        break;
      case ValueKind::Float:
        real(v.real);
        break;
      case ValueKind::String:
        string(v.text);
        break;
      case ValueKind::DType:
        dtype(v.dtype);
        break;
      case ValueKind::Shape:
        shape(v.shape);
        break;
      case ValueKind::Tensor:
        tensor({v.storage, v.offset, v.dtype, v.shape});
        break;
      case ValueKind::Storage:
        storage(v.storage);
        break;
      case ValueKind::Tuple:
        tuple(v.items.size());
        break;
      case ValueKind::Variant:
        variant(v.integer, v.items.size());
        break;
      case ValueKind::Closure:
        closure(v.text, v.items.size());
        break;
      case ValueKind::Object:
        object(v.text);
        break;
      case ValueKind::None:
      case ValueKind::kCount:
        none();
        break;
    }
    for (size_t i = v.items.size(); i-- > 0;) open.push_back(&v.items[i]);
  }
}

namespace {

bool readType(ByteIn& in, DataType& type) {
  const uint8_t code = in.byte();
  if (code > static_cast<uint8_t>(TypeCode::Float4E2M1FN)) return false;
  type.code = static_cast<TypeCode>(code);
  type.bits = in.byte();
  const int64_t lanes = in.signedNumber();
  if (lanes < INT16_MIN || lanes > INT16_MAX) return false;
  type.lanes = static_cast<int16_t>(lanes);
  return in.ok();
}

bool readDims(ByteIn& in, std::vector<int64_t>& dims) {
  const size_t rank = in.count();
  if (rank > kMaxRank) return false;
  dims.resize(rank);
  for (int64_t& dim : dims) dim = in.signedNumber();
  return in.ok();
}

/// Reads a value without its items, whose number goes to `items`.
bool readOne(ByteIn& in, Value& v, size_t& items) {
  const uint8_t kind = in.byte();
  if (!in.ok() || kind >= static_cast<uint8_t>(ValueKind::kCount)) return false;
  v.kind = static_cast<ValueKind>(kind);
  switch (v.kind) {
    case ValueKind::Int:
      v.integer = in.signedNumber();
      break;
    case ValueKind::Float:
      v.real = in.real();
      break;
    case ValueKind::String:
    case ValueKind::Object:
      v.text = in.text();
      break;
    case ValueKind::DType:
      return readType(in, v.dtype);
    case ValueKind::Shape:
      return readDims(in, v.shape);
    case ValueKind::Tensor:
      v.storage = static_cast<uint32_t>(in.number());
      v.offset = in.signedNumber();
      return readType(in, v.dtype) && readDims(in, v.shape);
    case ValueKind::Storage:
      v.storage = static_cast<uint32_t>(in.number());
      break;
    case ValueKind::Closure:
      v.text = in.text();
      items = in.count();
      break;
    case ValueKind::Tuple:
      items = in.count();
      break;
    case ValueKind::Variant:
      v.integer = in.signedNumber();
      items = in.count();
      break;
    case ValueKind::None:
    case ValueKind::kCount:
      break;
  }
  return in.ok();
}

}  // namespace

std::optional<Value> nextValue(ByteIn& in) {
  Value root;
  // Items are read depth first; a frame holds the value whose items are under way.
  struct Frame {
    Value* value;
    size_t next;
  };
  std::vector<Frame> open;
  size_t promised = 0;  // items that are still to come, each of which takes a byte
  Value* target = &root;
  while (target) {
    size_t items = 0;
    if (!readOne(in, *target, items) || open.size() > kMaxDepth) return {};
    if (target != &root) --promised;
    promised += items;
    if (promised > in.left()) return {};
    target->items.resize(items);
    open.push_back({target, 0});
    while (!open.empty() && open.back().next == open.back().value->items.size()) open.pop_back();
    target = open.empty() ? nullptr : &open.back().value->items[open.back().next++];
  }
  return root;
}

Result<Value> decodeValue(std::string_view bytes) {
  ByteIn in(bytes);
  std::optional<Value> value = nextValue(in);
  if (!value || !in.atEnd()) return fail("store.damaged", "the recording is damaged: a register holds no value");
  return std::move(*value);
}

void eachStorage(const Value& value, const std::function<void(uint32_t)>& use) {
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value& v = *open.back();
    open.pop_back();
    if (v.kind == ValueKind::Tensor || v.kind == ValueKind::Storage) use(v.storage);
    for (const Value& item : v.items) open.push_back(&item);
  }
}

}  // namespace rx::store
