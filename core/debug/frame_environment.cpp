#include "core/debug/frame_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/expression/words.h"
#include "core/support/nearest.h"

namespace rx::debug {

namespace {

Failure unknown(std::string_view name, std::string_view meant = {}) {
  return fail("debug.unknown-name",
              fmt::format("`{}` has no value here{}", escapedForDisplay(name.substr(0, 80)), meant));
}

/// A member of a tensor: of its type, or of its elements, which statistics know.
struct Member {
  std::string_view name;
  bool ofElements;
  Quantity (*get)(const HostTensor&, const TensorStats&);
};
const Member kMembers[] = {
    {"min", true, [](const HostTensor&, const TensorStats& s) { return Quantity(s.min); }},
    {"max", true, [](const HostTensor&, const TensorStats& s) { return Quantity(s.max); }},
    {"mean", true, [](const HostTensor&, const TensorStats& s) { return Quantity(s.mean); }},
    {"nan", true, [](const HostTensor&, const TensorStats& s) { return Quantity(s.nanCount); }},
    {"inf", true, [](const HostTensor&, const TensorStats& s) { return Quantity(s.infCount); }},
    {"size", false, [](const HostTensor& t, const TensorStats&) { return Quantity(t.count()); }},
    {"ndim", false, [](const HostTensor& t, const TensorStats&) { return Quantity(t.rank()); }},
    {"bytes", false, [](const HostTensor& t, const TensorStats&) { return Quantity(Bytes{t.bytes()}); }},
    {"dtype", false, [](const HostTensor& t, const TensorStats&) { return Quantity(t.dtype().str()); }},
};

double sumOf(const HostTensor& tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.count(); ++i) sum += tensor.at(i);
  return sum;
}

/// The smallest or largest element, infinities among them.
double extremeOf(const HostTensor& tensor, const TensorStats& stats, bool largest) {
  if (tensor.count() == 0) return std::numeric_limits<double>::quiet_NaN();
  if (stats.infCount == 0) return largest ? stats.max : stats.min;
  double found = tensor.at(0);
  for (int64_t i = 1; i < tensor.count(); ++i)
    found = largest ? std::max(found, tensor.at(i)) : std::min(found, tensor.at(i));
  return found;
}

/// A function over all elements, none of which is a NaN, as NumPy computes it; the members of the same names leave out
/// what is not finite. What is finite as a whole is computed from statistics alone.
struct WholeFunction {
  std::string_view name;
  Quantity (*of)(const HostTensor&, const TensorStats&);
};
const WholeFunction kWholeFunctions[] = {
    {"min", [](const HostTensor& t, const TensorStats& s) { return Quantity(extremeOf(t, s, false)); }},
    {"max", [](const HostTensor& t, const TensorStats& s) { return Quantity(extremeOf(t, s, true)); }},
    {"mean",
     [](const HostTensor& t, const TensorStats& s) {
       return Quantity(s.finite() ? s.mean : sumOf(t) / static_cast<double>(t.count()));
     }},
};

Result<Ref<HostTensor>> absolute(const HostTensor& tensor) {
  RX_TRY(made, tensor.copy());
  for (int64_t i = 0; i < made->count(); ++i) {
    if (!made->dtype().isIntegral()) {
      made->set(i, std::fabs(made->at(i)));
    } else if (made->intAt(i) < 0) {
      made->setInt(i, static_cast<int64_t>(0 - static_cast<uint64_t>(made->intAt(i))));
    }
  }
  return made;
}

/// Marks a path that asks for the numbers of a tensor's shape.
constexpr int kShapeOf = -1;

Result<Quantity> elementOf(const HostTensor& tensor, const std::vector<int64_t>& index) {
  RX_TRY(flat, elementNumber(tensor.shape(), index));
  if (tensor.dtype().isIntegral()) return Quantity(tensor.intAt(flat));
  return Quantity(tensor.at(flat));
}

}  // namespace

Result<int64_t> elementNumber(std::span<const int64_t> shape, const std::vector<int64_t>& index) {
  if (index.size() != shape.size())
    return fail("debug.index", fmt::format("the tensor has {} dimensions, the index {}", shape.size(), index.size()));
  int64_t flat = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t extent = shape[i], at = index[i] < 0 ? index[i] + extent : index[i];
    if (at < 0 || at >= extent)
      return fail("debug.index", fmt::format("index {} is outside of dimension {}, which has {}", index[i], i, extent));
    flat = flat * extent + at;
  }
  return flat;
}

Result<int64_t> itemNumber(size_t length, const std::vector<int64_t>& index) {
  if (index.size() != 1) return fail("debug.index", "a shape or tuple takes one index");
  const auto items = static_cast<int64_t>(length);
  const int64_t at = index[0] < 0 ? index[0] + items : index[0];
  if (at < 0 || at >= items)
    return fail("debug.index", fmt::format("index {} is outside of 0 to {}", index[0], items - 1));
  return at;
}

const VmFunction& FrameEnvironment::function() const {
  const Activation& activation = session_.history().activation(activation_);
  return session_.program().functions[static_cast<size_t>(activation.function)];
}

std::optional<ValueRef> FrameEnvironment::find(std::string_view name) {
  if (activation_ < 0) return {};
  int64_t state = session_.state();
  if (auto ref = session_.valueNamed(activation_, name)) return ref;
  if (!name.starts_with('%')) {
    const auto& names = function().registerNames;
    for (size_t i = names.size(); i-- > 0;)
      if (names[i] == name) return ValueRef{state, activation_, static_cast<int>(i), {}};
  }
  const int index = session_.stage().functionIndex(function().name);
  if (index >= 0) {
    const StageFunction& row = session_.stage().functions()[static_cast<size_t>(index)];
    for (size_t i = 0; i < row.params.size() && static_cast<int>(i) < function().arguments; ++i)
      if (row.params[i] == name || (name.starts_with('%') && row.params[i] == name.substr(1)))
        return ValueRef{state, activation_, static_cast<int>(i), {}};
    // A name of the stage that has no value yet is no register, though it is written like one.
    const auto isIt = [&](const StageBinding& binding) { return binding.variable.view() == name; };
    if (std::any_of(row.bindings.begin(), row.bindings.end(), isIt)) return {};
  }
  return name.starts_with('%') ? registerNumbered(name.substr(1)) : std::nullopt;
}

std::optional<ValueRef> FrameEnvironment::registerNumbered(std::string_view digits) const {
  int reg = -1;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), reg);
  if (error != std::errc() || end != digits.data() + digits.size() || reg < 0 || reg >= function().registers) return {};
  return ValueRef{session_.state(), activation_, reg, {}};
}

Result<Quantity> FrameEnvironment::quantityOf(ValueRef ref) {
  RX_TRY(value, session_.readOrDescribe(ref));
  if (value.kind == ValueKind::Int) return Quantity(value.integer);
  if (value.kind == ValueKind::Float) return Quantity(value.real);
  if (value.kind == ValueKind::String || value.kind == ValueKind::DType) return Quantity(value.text);
  if (value.kind == ValueKind::Tensor && value.tensor->rank() == 0 && !value.described)
    return elementOf(*value.tensor, {});
  return Quantity(hold({std::move(ref), {}}));
}

Handle FrameEnvironment::hold(Held held) {
  held_.push_back(std::move(held));
  return Handle{static_cast<int64_t>(held_.size()) - 1};
}

Result<Value> FrameEnvironment::read(Handle handle) {
  const Held& held = held_[static_cast<size_t>(handle.id)];
  if (!held.made) return session_.readOrDescribe(held.ref);
  return tensorValue(held.made);
}

Result<Value> FrameEnvironment::readWhole(Handle handle) {
  return madeBy(handle) ? tensorValue(madeBy(handle)) : session_.readKept(refOf(handle));
}

Result<TensorStats> FrameEnvironment::statsOf(Handle handle, const Value& value) {
  const auto stats = madeBy(handle) ? tensorStats(*value.tensor) : session_.statsOf(refOf(handle), value);
  if (stats) return *stats;
  RX_TRY(whole, readWhole(handle));
  return fail("store.not-kept", fmt::format("of {} no statistics are kept", valueText(whole)));
}

std::vector<std::string_view> FrameEnvironment::names() const {
  std::vector<std::string_view> all;
  const int index = session_.stage().functionIndex(function().name);
  if (index >= 0) {
    const StageFunction& row = session_.stage().functions()[static_cast<size_t>(index)];
    for (const Str& param : row.params) all.push_back(param.view());
    for (const StageBinding& binding : row.bindings) all.push_back(binding.variable.view());
  }
  for (const std::string& registered : function().registerNames) all.push_back(registered);
  for (const HeapSlot& slot : function().heap) all.push_back(slot.expression);
  return all;
}

Failure FrameEnvironment::noValueOf(std::string_view name) const {
  const std::vector<std::string_view> known = names();
  if (std::find(known.begin(), known.end(), name) != known.end())
    return fail(kNoValueYet, fmt::format("`{}` has no value yet", escapedForDisplay(name.substr(0, 80))));
  Nearest nearest(name);
  for (const std::string_view each : known) nearest.offer(each);
  const std::string fix = nearest.fix();
  return unknown(name, fix.empty() ? fix : "; " + fix);
}

Result<Quantity> FrameEnvironment::lookUp(std::string_view name) {
  if (activation_ < 0) return unknown(name);
  if (auto ref = find(name)) return quantityOf(std::move(*ref));
  auto heap = session_.heapOf(activation_, session_.state());
  for (size_t i = 0; i < heap.size(); ++i)
    if (function().heap[i].expression == name && heap[i]) return Quantity(*heap[i]);
  return noValueOf(name);
}

Result<Quantity> FrameEnvironment::member(Handle handle, std::string_view name) {
  RX_TRY(value, read(handle));
  if (value.kind == ValueKind::Storage && name == "bytes") return Quantity(Bytes{value.integer});
  if (value.kind != ValueKind::Tensor) return fail("debug.member", "only tensors have members");
  if (name == "shape") {
    Held shape = held_[static_cast<size_t>(handle.id)];
    shape.ref.path.push_back(kShapeOf);
    return Quantity(hold(std::move(shape)));
  }
  for (const Member& member : kMembers) {
    if (member.name != name) continue;
    if (!member.ofElements) return member.get(*value.tensor, {});
    RX_TRY(stats, statsOf(handle, value));
    return member.get(*value.tensor, stats);
  }
  return fail("debug.member", fmt::format("a tensor has no member `{}`: shape, dtype, min, max, mean, nan, inf, size, "
                                          "ndim and bytes exist",
                                          escapedForDisplay(name)));
}

Result<Quantity> FrameEnvironment::apply(std::string_view name, Handle handle) {
  RX_TRY(value, read(handle));
  if (value.kind == ValueKind::Tensor && name == "abs") {
    RX_TRY(whole, readWhole(handle));
    RX_TRY(made, absolute(*whole.tensor));
    return Quantity(hold({{}, std::move(made)}));
  }
  if (value.kind == ValueKind::Tensor) {
    for (const WholeFunction& function : kWholeFunctions) {
      if (function.name != name) continue;
      RX_TRY(stats, statsOf(handle, value));
      if (stats.nanCount > 0) return Quantity(std::numeric_limits<double>::quiet_NaN());
      if (stats.finite()) return function.of(*value.tensor, stats);
      RX_TRY(whole, readWhole(handle));
      return function.of(*whole.tensor, stats);
    }
  }
  if (!expressionWord(name, true)) return fail("debug.expression", fmt::format("`{}` needs a number", name));
  return member(handle, name);
}

Result<Quantity> FrameEnvironment::element(Handle handle, const std::vector<int64_t>& index) {
  ValueRef ref = refOf(handle);
  bool shapeOf = !ref.path.empty() && ref.path.back() == kShapeOf;
  if (shapeOf) ref.path.pop_back();
  RX_TRY(value, madeBy(handle) ? read(handle) : session_.readOrDescribe(ref));
  if (value.kind == ValueKind::Tensor && !shapeOf) {
    RX_TRY(whole, readWhole(handle));
    return elementOf(*whole.tensor, index);
  }
  const std::vector<int64_t>* numbers = shapeOf ? &value.tensor->shape() : nullptr;
  if (value.kind == ValueKind::Shape) numbers = &value.shape;
  if (!numbers && !value.indexed()) return fail("debug.index", "the value has no elements");
  RX_TRY(at, itemNumber(numbers ? numbers->size() : value.items.size(), index));
  if (numbers) return Quantity((*numbers)[static_cast<size_t>(at)]);
  ref.path.push_back(static_cast<int>(at));
  return quantityOf(std::move(ref));
}

}  // namespace rx::debug
