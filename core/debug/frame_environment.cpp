#include "core/debug/frame_environment.h"

#include <fmt/format.h>

#include <charconv>

namespace rx::debug {

namespace {

Failure unknown(std::string_view name) {
  return fail("debug.unknown-name", fmt::format("`{}` has no value here", escapedForDisplay(name.substr(0, 80))));
}

/// A member of a tensor.
struct Member {
  std::string_view name;
  Quantity (*get)(const HostTensor&, const TensorStats&);
};
const Member kMembers[] = {
    {"min", [](const HostTensor&, const TensorStats& s) { return Quantity(s.min); }},
    {"max", [](const HostTensor&, const TensorStats& s) { return Quantity(s.max); }},
    {"mean", [](const HostTensor&, const TensorStats& s) { return Quantity(s.mean); }},
    {"nan", [](const HostTensor&, const TensorStats& s) { return Quantity(s.nanCount); }},
    {"inf", [](const HostTensor&, const TensorStats& s) { return Quantity(s.infCount); }},
    {"size", [](const HostTensor& t, const TensorStats&) { return Quantity(t.count()); }},
    {"ndim", [](const HostTensor& t, const TensorStats&) { return Quantity(t.rank()); }},
    {"bytes", [](const HostTensor& t, const TensorStats&) { return Quantity(t.bytes()); }},
    {"dtype", [](const HostTensor& t, const TensorStats&) { return Quantity(t.dtype().str()); }},
};

/// Marks a path that asks for the numbers of a tensor's shape.
constexpr int kShapeOf = -1;

Result<Quantity> elementOf(const HostTensor& tensor, const std::vector<int64_t>& index) {
  if (static_cast<int64_t>(index.size()) != tensor.rank())
    return fail("debug.index", fmt::format("the tensor has {} dimensions, the index {}", tensor.rank(), index.size()));
  int64_t flat = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t extent = tensor.shape()[i], at = index[i] < 0 ? index[i] + extent : index[i];
    if (at < 0 || at >= extent)
      return fail("debug.index", fmt::format("index {} is outside of dimension {}, which has {}", index[i], i, extent));
    flat = flat * extent + at;
  }
  if (tensor.dtype().isIntegral()) return Quantity(tensor.intAt(flat));
  return Quantity(tensor.at(flat));
}

}  // namespace

const VmFunction& FrameEnvironment::function() const {
  const Activation& activation = session_.history().activations()[static_cast<size_t>(activation_)];
  return session_.program().functions[static_cast<size_t>(activation.function)];
}

std::optional<ValueRef> FrameEnvironment::find(std::string_view name) {
  if (activation_ < 0) return {};
  int64_t state = session_.state();
  if (name.starts_with('%')) {
    int reg = -1;
    auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), reg);
    if (error != std::errc() || end != name.data() + name.size() || reg < 0 || reg >= function().registers) return {};
    return ValueRef{state, activation_, reg, {}};
  }
  auto values = session_.valuesOf(activation_);
  for (auto it = values.rbegin(); it != values.rend(); ++it)
    if (session_.stage().binding(it->first)->variable == name) return it->second;
  const auto& names = function().registerNames;
  for (size_t i = names.size(); i-- > 0;)
    if (names[i] == name) return ValueRef{state, activation_, static_cast<int>(i), {}};
  int index = session_.stage().functionIndex(function().name);
  if (index >= 0) {
    const auto& params = session_.stage().functions()[static_cast<size_t>(index)].params;
    for (size_t i = 0; i < params.size() && static_cast<int>(i) < function().arguments; ++i)
      if (params[i] == name) return ValueRef{state, activation_, static_cast<int>(i), {}};
  }
  return {};
}

Result<Quantity> FrameEnvironment::quantityOf(ValueRef ref) {
  RX_TRY(value, session_.read(ref));
  if (value.kind == ValueKind::Int) return Quantity(value.integer);
  if (value.kind == ValueKind::Float) return Quantity(value.real);
  if (value.kind == ValueKind::String || value.kind == ValueKind::DType) return Quantity(value.text);
  if (value.kind == ValueKind::Tensor && value.tensor->rank() == 0) return elementOf(*value.tensor, {});
  refs_.push_back(std::move(ref));
  return Quantity(Handle{static_cast<int64_t>(refs_.size()) - 1});
}

Result<Quantity> FrameEnvironment::lookUp(std::string_view name) {
  if (activation_ < 0) return unknown(name);
  if (auto ref = find(name)) return quantityOf(std::move(*ref));
  auto heap = session_.heapOf(activation_, session_.state());
  for (size_t i = 0; i < heap.size(); ++i)
    if (function().heap[i].expression == name && heap[i]) return Quantity(*heap[i]);
  return unknown(name);
}

Result<Quantity> FrameEnvironment::member(Handle handle, std::string_view name) {
  ValueRef ref = refOf(handle);
  RX_TRY(value, session_.read(ref));
  if (value.kind != ValueKind::Tensor) return fail("debug.member", "only tensors have members");
  if (name == "shape") {
    ref.path.push_back(kShapeOf);
    refs_.push_back(std::move(ref));
    return Quantity(Handle{static_cast<int64_t>(refs_.size()) - 1});
  }
  for (const Member& member : kMembers)
    if (member.name == name) return member.get(*value.tensor, *session_.statsOf(ref, value));
  return fail("debug.member", fmt::format("a tensor has no member `{}`: shape, dtype, min, max, mean, nan, inf, size, "
                                          "ndim and bytes exist",
                                          escapedForDisplay(name)));
}

Result<Quantity> FrameEnvironment::element(Handle handle, const std::vector<int64_t>& index) {
  ValueRef ref = refOf(handle);
  bool shapeOf = !ref.path.empty() && ref.path.back() == kShapeOf;
  if (shapeOf) ref.path.pop_back();
  RX_TRY(value, session_.read(ref));
  if (value.kind == ValueKind::Tensor && !shapeOf) return elementOf(*value.tensor, index);
  const std::vector<int64_t>* numbers = shapeOf ? &value.tensor->shape() : nullptr;
  if (value.kind == ValueKind::Shape) numbers = &value.shape;
  int64_t length = numbers ? static_cast<int64_t>(numbers->size()) : static_cast<int64_t>(value.items.size());
  if (!numbers && value.kind != ValueKind::Tuple) return fail("debug.index", "the value has no elements");
  if (index.size() != 1) return fail("debug.index", "a shape or tuple takes one index");
  int64_t at = index[0] < 0 ? index[0] + length : index[0];
  if (at < 0 || at >= length)
    return fail("debug.index", fmt::format("index {} is outside of 0 to {}", index[0], length - 1));
  if (numbers) return Quantity((*numbers)[static_cast<size_t>(at)]);
  ref.path.push_back(static_cast<int>(at));
  return quantityOf(std::move(ref));
}

}  // namespace rx::debug
