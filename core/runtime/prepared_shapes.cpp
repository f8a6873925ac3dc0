#include "core/runtime/prepared_shapes.h"

#include <algorithm>

namespace rx::vm {
namespace {

/// A code and its operand, as an instruction has them for each dimension.
struct Coded {
  int64_t code = 0, operand = 0;
};

/// The pairs behind `first`, as many as the argument before says; nothing where they are no numbers, or not as many.
std::optional<std::vector<Coded>> codesOf(std::span<const PlannedArgument> places, size_t first, size_t behind) {
  if (places.size() < first + behind || !places[first - 1].names(ValueKind::Int)) return std::nullopt;
  const int64_t rank = places[first - 1].fixed->asInt();
  const std::span<const PlannedArgument> pairs = places.subspan(first, places.size() - first - behind);
  if (rank < 0 || pairs.size() % 2 != 0 || static_cast<uint64_t>(rank) != pairs.size() / 2) return std::nullopt;
  if (!std::all_of(pairs.begin(), pairs.end(), [](const auto& place) { return place.names(ValueKind::Int); }))
    return std::nullopt;
  std::vector<Coded> codes;
  for (size_t i = 0; i < pairs.size(); i += 2) codes.push_back({pairs[i].fixed->asInt(), pairs[i + 1].fixed->asInt()});
  return codes;
}

/// The slots of a heap that has at least `slots`; null where it is none of this kind. Without slots anything will do.
const int64_t* slotsOf(const Value& heap, int64_t slots) {
  static constexpr int64_t kNone = 0;
  if (slots == 0) return &kNone;
  if (!heap.is(ValueKind::Tensor)) return nullptr;
  const HostTensor& tensor = heap.tensor();
  const bool fits = !tensor.device() && tensor.dtype() == DataType::Int(64) && tensor.rank() == 1 &&
                    tensor.count() >= slots && tensor.storage()->writable();
  return fits ? reinterpret_cast<const int64_t*>(tensor.data()) : nullptr;
}

/// Where nobody looks back at memory, the heap that the last call gave serves again once nothing else refers to it.
class ReadyHeap final : public PreparedCall {
 public:
  explicit ReadyHeap(int64_t slots) : shape_{slots} {}
  bool findsSizes() const override { return true; }
  Outcome run(CallContext& context, PlannedArguments, Value& result) override {
    if (last_.is(ValueKind::Tensor) && last_.tensor().unique()) {
      result = last_;
      return Outcome::Done;
    }
    auto storage = context.around.allocate(shape_[0] * static_cast<int64_t>(sizeof(int64_t)), nullptr);
    if (!storage) return Outcome::Unfit;
    auto heap = context.around.tensors->view(std::move(*storage), 0, shape_, DataType::Int(64));
    if (!heap) return Outcome::Unfit;
    result = std::move(*heap);
    if (!context.around.memory->filled()) last_ = result;
    return Outcome::Done;
  }

 private:
  std::vector<int64_t> shape_;
  Value last_;
};

class ReadyMatch final : public PreparedCall {
 public:
  explicit ReadyMatch(const std::vector<Coded>& codes) {
    for (size_t axis = 0; axis < codes.size(); ++axis) {
      const auto [code, operand] = codes[axis];
      if (code == kStore || code == kEqualsSlot) slots_ = std::max(slots_, operand + 1);
      if (code == kStore) stores_.push_back({axis, operand});
      if (code == kEqualsImmediate) lengths_.push_back({axis, operand});
      if (code != kEqualsSlot) continue;
      // A slot that this very call stores is compared with the axis it comes from: nothing is stored before all fits.
      const auto stored =
          std::find_if(stores_.rbegin(), stores_.rend(), [&](const Axis& store) { return store.operand == operand; });
      if (stored == stores_.rend()) {
        held_.push_back({axis, operand});
      } else {
        alike_.push_back({axis, static_cast<int64_t>(stored->axis)});
      }
    }
    rank_ = codes.size();
  }

  bool findsSizes() const override { return true; }
  Outcome run(CallContext&, PlannedArguments args, Value&) override {
    const Value& value = args[0];
    if (!value.is(ValueKind::Tensor) && !value.is(ValueKind::Shape)) return Outcome::Unfit;
    const std::vector<int64_t>& dims = value.is(ValueKind::Tensor) ? value.tensor().shape() : value.asShape();
    const int64_t* slots = slotsOf(args[1], slots_);
    if (!slots || dims.size() != rank_) return Outcome::Unfit;
    const auto fit = [&](const std::vector<Axis>& axes, auto wanted) {
      return std::all_of(axes.begin(), axes.end(),
                         [&](const Axis& axis) { return dims[axis.axis] == wanted(axis.operand); });
    };
    const bool fits = fit(lengths_, [](int64_t length) { return length; }) &&
                      fit(held_, [&](int64_t slot) { return slots[slot]; }) &&
                      fit(alike_, [&](int64_t axis) { return dims[static_cast<size_t>(axis)]; });
    if (!fits) return Outcome::Unfit;
    if (stores_.empty()) return Outcome::Done;
    auto* heap = reinterpret_cast<int64_t*>(args[1].tensor().mutableData());
    for (const Axis& store : stores_) heap[store.operand] = dims[store.axis];
    return Outcome::Done;
  }

 private:
  /// One of the value, and the number, slot or axis that it goes with.
  struct Axis {
    size_t axis;
    int64_t operand;
  };
  std::vector<Axis> lengths_, held_, alike_, stores_;
  int64_t slots_ = 0;  ///< that the heap has to have
  size_t rank_ = 0;
};

/// A shape that is as the last one was is that one.
class ReadyShape final : public PreparedCall {
 public:
  explicit ReadyShape(const std::vector<Coded>& codes) : last_(Value::shape(std::vector<int64_t>(codes.size()))) {
    for (size_t axis = 0; axis < codes.size(); ++axis) {
      dims_.push_back(codes[axis].operand);
      if (codes[axis].code != kLoad) continue;
      loads_.push_back({axis, codes[axis].operand});
      slots_ = std::max(slots_, codes[axis].operand + 1);
    }
  }

  bool findsSizes() const override { return true; }
  Outcome run(CallContext&, PlannedArguments args, Value& result) override {
    const int64_t* slots = slotsOf(args[0], slots_);
    if (!slots) return Outcome::Unfit;
    for (const auto& [axis, slot] : loads_) dims_[axis] = slots[slot];
    if (last_.asShape() != dims_) last_ = Value::shape(dims_);
    result = last_;
    return Outcome::Done;
  }

 private:
  std::vector<int64_t> dims_;
  std::vector<std::pair<size_t, int64_t>> loads_;
  int64_t slots_ = 0;
  Value last_;
};

/// A number is compared or stored as one dimension is.
class ReadyPrimMatch final : public PreparedCall {
 public:
  explicit ReadyPrimMatch(Coded coded) : coded_(coded) {}
  bool findsSizes() const override { return true; }
  Outcome run(CallContext&, PlannedArguments args, Value&) override {
    if (!args[0].is(ValueKind::Int)) return Outcome::Unfit;
    const int64_t value = args[0].asInt();
    const bool goesWithSlot = coded_.code == kStore || coded_.code == kEqualsSlot;
    const int64_t* slots = slotsOf(args[1], goesWithSlot ? coded_.operand + 1 : 0);
    if (!slots) return Outcome::Unfit;
    if (coded_.code == kEqualsImmediate && value != coded_.operand) return Outcome::Unfit;
    if (coded_.code == kEqualsSlot && value != slots[coded_.operand]) return Outcome::Unfit;
    if (coded_.code == kStore) reinterpret_cast<int64_t*>(args[1].tensor().mutableData())[coded_.operand] = value;
    return Outcome::Done;
  }

 private:
  Coded coded_;
};

class ReadyPrim final : public PreparedCall {
 public:
  explicit ReadyPrim(Coded coded) : coded_(coded) {}
  bool findsSizes() const override { return true; }
  Outcome run(CallContext&, PlannedArguments args, Value& result) override {
    const bool loads = coded_.code == kLoad;
    const int64_t* slots = slotsOf(args[0], loads ? coded_.operand + 1 : 0);
    if (!slots) return Outcome::Unfit;
    result = Value::of(loads ? slots[coded_.operand] : coded_.operand);
    return Outcome::Done;
  }

 private:
  Coded coded_;
};

class ReadyTensorInfo final : public PreparedCall {
 public:
  ReadyTensorInfo(int64_t rank, DataType dtype) : rank_(rank), dtype_(dtype) {}
  bool findsSizes() const override { return true; }
  Outcome run(CallContext&, PlannedArguments args, Value&) override {
    if (!args[0].is(ValueKind::Tensor)) return Outcome::Unfit;
    const HostTensor& tensor = args[0].tensor();
    const bool fits = (rank_ == -1 || tensor.rank() == rank_) && (dtype_.isVoid() || tensor.dtype() == dtype_);
    return fits ? Outcome::Done : Outcome::Unfit;
  }

 private:
  int64_t rank_;
  DataType dtype_;
};

/// Whether each code is known, and names a slot that there may be where it goes with one.
bool allKnown(const std::vector<Coded>& codes, int64_t last) {
  static_assert(kStore % 2 == 1 && kEqualsSlot % 2 == 1 && kLoad % 2 == 1 && kSkip % 2 == 0 && kImmediate % 2 == 0);
  const auto known = [&](const Coded& coded) {
    const bool slot = coded.code % 2 == 1;
    return coded.code >= 0 && coded.code <= last && (!slot || (coded.operand >= 0 && coded.operand < INT64_MAX));
  };
  return std::all_of(codes.begin(), codes.end(), known);
}

/// The one code at `first`; nothing where it is none that is known.
std::optional<Coded> codeAt(std::span<const PlannedArgument> places, size_t first, int64_t last) {
  if (!places[first].names(ValueKind::Int) || !places[first + 1].names(ValueKind::Int)) return std::nullopt;
  const Coded coded{places[first].fixed->asInt(), places[first + 1].fixed->asInt()};
  return allKnown({coded}, last) ? std::optional(coded) : std::nullopt;
}

}  // namespace

std::unique_ptr<PreparedCall> prepareShapeHeap(std::span<const PlannedArgument> places) {
  constexpr int64_t kMostSlots = 1 << 20;
  const bool fits = places.size() == 2 && places[0].names(ValueKind::Machine) && places[1].names(ValueKind::Int) &&
                    places[1].fixed->asInt() >= 0 && places[1].fixed->asInt() <= kMostSlots;
  return fits ? std::make_unique<ReadyHeap>(places[1].fixed->asInt()) : nullptr;
}

std::unique_ptr<PreparedCall> prepareMatchShape(std::span<const PlannedArgument> places) {
  const auto codes = codesOf(places, 3, 1);
  if (!codes || !allKnown(*codes, kEqualsSlot) || !places.back().names(ValueKind::String)) return nullptr;
  return std::make_unique<ReadyMatch>(*codes);
}

std::unique_ptr<PreparedCall> prepareMakeShape(std::span<const PlannedArgument> places) {
  const auto codes = codesOf(places, 2, 0);
  return codes && allKnown(*codes, kLoad) ? std::make_unique<ReadyShape>(*codes) : nullptr;
}

std::unique_ptr<PreparedCall> prepareMatchPrimValue(std::span<const PlannedArgument> places) {
  if (places.size() != 5 || !places[4].names(ValueKind::String)) return nullptr;
  const auto coded = codeAt(places, 2, kEqualsSlot);
  return coded ? std::make_unique<ReadyPrimMatch>(*coded) : nullptr;
}

std::unique_ptr<PreparedCall> prepareMakePrimValue(std::span<const PlannedArgument> places) {
  const auto coded = places.size() == 3 ? codeAt(places, 1, kLoad) : std::nullopt;
  return coded ? std::make_unique<ReadyPrim>(*coded) : nullptr;
}

std::unique_ptr<PreparedCall> prepareTensorInfo(std::span<const PlannedArgument> places) {
  const bool typed = places.size() == 4 && places[2].names(ValueKind::Type);
  if ((!typed && places.size() != 3) || !places[1].names(ValueKind::Int) || !places.back().names(ValueKind::String))
    return nullptr;
  return std::make_unique<ReadyTensorInfo>(places[1].fixed->asInt(),
                                           typed ? places[2].fixed->asType() : DataType::Void());
}

}  // namespace rx::vm
