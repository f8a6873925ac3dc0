#include "core/debug/trace_codec.h"

namespace rx::debug {

namespace {

/// Tuples and closures inside each other in a value.
constexpr int kMaxValueDepth = 64;
constexpr uint64_t kMaxRank = 64;

}  // namespace

void TraceOut::value(const Value& v) {
  number(static_cast<uint8_t>(v.kind));
  number(v.integer);
  number(v.real);
  text(v.text);
  number(v.storage);
  const std::vector<int64_t>& shape = v.kind == ValueKind::Tensor ? v.tensor->shape() : v.shape;
  number<uint64_t>(shape.size());
  for (int64_t extent : shape) number(extent);
  text(v.kind == ValueKind::Tensor ? v.tensor->dtype().str() : std::string());
  number<int64_t>(v.kind == ValueKind::Tensor ? v.tensor->byteOffset() : 0);
  number<uint64_t>(v.items.size());
  for (const Value& item : v.items) value(item);
}

void TraceOut::stats(const TensorStats& s) {
  number(s.count);
  number(s.min);
  number(s.max);
  number(s.mean);
  number(s.nanCount);
  number(s.infCount);
  number(s.firstNonFinite);
}

std::string_view TraceIn::take(uint64_t size) {
  if (!ok_ || size > bytes_.size()) {
    ok_ = false;
    bytes_ = {};
    return {};
  }
  std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

size_t TraceIn::count(size_t size) {
  auto n = number<uint64_t>();
  if (n > bytes_.size() / size) {
    ok_ = false;
    bytes_ = {};
    return 0;
  }
  return n;
}

TraceIn::Flat TraceIn::value(int depth) {
  Flat flat;
  auto kind = number<uint8_t>();
  if (kind >= static_cast<uint8_t>(ValueKind::kCount) || depth > kMaxValueDepth) ok_ = false;
  flat.value.kind = ok_ ? static_cast<ValueKind>(kind) : ValueKind::None;
  flat.value.integer = number<int64_t>();
  flat.value.real = number<double>();
  flat.value.text = text();
  flat.value.storage = number<uint64_t>();
  size_t rank = count(sizeof(int64_t));
  if (flat.value.kind == ValueKind::Tensor && rank > kMaxRank) ok_ = false;
  for (size_t i = 0; ok_ && i < rank; ++i) flat.shape.push_back(number<int64_t>());
  if (flat.value.kind == ValueKind::Shape) flat.value.shape = flat.shape;
  std::string_view name = text();
  flat.offset = number<int64_t>();
  if (flat.value.kind == ValueKind::Tensor) {
    auto dtype = DataType::parse(name);
    ok_ = ok_ && dtype && !dtype->isVoid();
    if (ok_) flat.dtype = *dtype;
  }
  size_t items = count(1);
  for (size_t i = 0; ok_ && i < items; ++i) flat.items.push_back(value(depth + 1));
  return flat;
}

TensorStats TraceIn::stats() {
  TensorStats s;
  s.count = number<int64_t>();
  s.min = number<double>();
  s.max = number<double>();
  s.mean = number<double>();
  s.nanCount = number<int64_t>();
  s.infCount = number<int64_t>();
  s.firstNonFinite = number<int64_t>();
  return s;
}

}  // namespace rx::debug
