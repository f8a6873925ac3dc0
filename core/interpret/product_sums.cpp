#include "core/interpret/product_sums.h"

#include <algorithm>
#include <array>

namespace rx::interpret {

namespace {

bool overlap(const View& a, const View& b) {
  return std::less<>()(a.data, b.data + b.bytes) && std::less<>()(b.data, a.data + a.bytes);
}

/// A sum or product of what may be beyond 64 bits.
class Checked {
 public:
  bool failed = false;
  int64_t sum(int64_t a, int64_t b) {
    int64_t out = 0;
    failed = __builtin_add_overflow(a, b, &out) || failed;
    return out;
  }
  int64_t product(int64_t a, int64_t b) {
    int64_t out = 0;
    failed = __builtin_mul_overflow(a, b, &out) || failed;
    return out;
  }
};

/// Which way an operand goes in the loops: the elements to the next, put into `step` of each. What it gives is the
/// element of the first step, or null where a step is outside.
float* begin(const ProductSum::Operand& operand, const View& view, std::span<const Reg> registers,
             std::vector<SumNest::Loop>& loops, int64_t SumNest::Loop::*step) {
  Checked checked;
  if (view.elementBytes != sizeof(float) || view.axes.size() != operand.first.size()) return nullptr;
  int64_t at = view.offset;
  for (size_t axis = 0; axis < operand.first.size(); ++axis) {
    const View::Axis& along = view.axes[axis];
    const int64_t index = registers[operand.first[axis]].i;
    int64_t least = index, most = index;
    for (size_t i = 0; i < loops.size(); ++i) {
      const int64_t by = operand.steps[axis][i], far = checked.product(by, loops[i].extent - 1);
      (far < 0 ? least : most) = checked.sum(far < 0 ? least : most, far);
      loops[i].*step = checked.sum(loops[i].*step, checked.product(by, along.stride));
    }
    if (checked.failed || least < 0 || most >= along.size) return nullptr;
    at = checked.sum(at, checked.product(index, along.stride));
  }
  int64_t first = at, last = at;
  for (const SumNest::Loop& loop : loops) {
    int64_t& end = loop.*step < 0 ? first : last;
    end = checked.sum(end, checked.product(loop.*step, loop.extent - 1));
  }
  if (checked.failed || first < 0 || last >= view.elements) return nullptr;
  std::byte* place = view.data + at * view.elementBytes;
  return reinterpret_cast<uintptr_t>(place) % alignof(float) == 0 ? reinterpret_cast<float*>(place) : nullptr;
}

/// Products between two questions whether to go on.
constexpr int64_t kPoll = int64_t{1} << 20;

using Loop = SumNest::Loop;

/// Where the operands stand in a step of the loops.
struct Place {
  float* out;
  const float* left;
  const float* right;
  void add(const Loop& loop, int64_t steps) {
    out += loop.out * steps;
    left += loop.left * steps;
    right += loop.right * steps;
  }
};

/// Steps of loops, the last the quickest.
class Odometer {
 public:
  Odometer(const Loop* loops, size_t count) : loops_(loops), at_(count) {}
  /// The next step; false behind the last one, where it stands at the first again.
  bool next(Place& place) {
    for (size_t i = at_.size(); i-- > 0;) {
      if (++at_[i] < loops_[i].extent) {
        place.add(loops_[i], 1);
        return true;
      }
      place.add(loops_[i], 1 - loops_[i].extent);
      at_[i] = 0;
    }
    return false;
  }
  /// Whether the loops that stay at an element are in their first step.
  bool begins() const {
    for (size_t i = 0; i < at_.size(); ++i)
      if (!loops_[i].moves && at_[i] != 0) return false;
    return true;
  }

 private:
  const Loop* loops_;
  std::vector<int64_t> at_;
};

/// The products of `kWide` elements that stand side by side, by the loops that stay at them: `outer`, and `last` in
/// these. An operand moves by kLeft or kRight from an element to the next.
template <int kWide, int kLeft, int kRight>
void sumInto(Place place, Odometer& outer, const Loop& last, const std::optional<float>& begin) {
  float sums[kWide];
  for (int j = 0; j < kWide; ++j) sums[j] = begin ? *begin : place.out[j];
  float* const out = place.out;
  do {
    const float *left = place.left, *right = place.right;
    for (int64_t k = 0; k < last.extent; ++k, left += last.left, right += last.right) {
      for (int j = 0; j < kWide; ++j) {
        const float product = left[j * kLeft] * right[j * kRight];
        sums[j] = sums[j] + product;
      }
    }
  } while (outer.next(place));
  for (int j = 0; j < kWide; ++j) out[j] = sums[j];
}

using SumInto = void (*)(Place, Odometer&, const Loop&, const std::optional<float>&);

/// How many elements are summed up at once, and what does it.
struct Width {
  int64_t elements;
  SumInto run;
};

/// The widest first: as many as registers hold. One fits always.
template <int kLeft, int kRight>
constexpr std::array<Width, 4> kWidths = {Width{16, sumInto<16, kLeft, kRight>}, Width{8, sumInto<8, kLeft, kRight>},
                                          Width{4, sumInto<4, kLeft, kRight>}, Width{1, sumInto<1, 0, 0>}};

/// For elements side by side; one by one where they or their operands are not.
std::span<const Width> widthsOf(const Loop& lanes) {
  if (lanes.out == 1 && lanes.left == 1 && lanes.right == 0) return kWidths<1, 0>;
  if (lanes.out == 1 && lanes.left == 0 && lanes.right == 1) return kWidths<0, 1>;
  if (lanes.out == 1 && lanes.left == 1 && lanes.right == 1) return kWidths<1, 1>;
  return std::span(kWidths<0, 0>).last(1);
}

}  // namespace

std::optional<SumNest> nestOf(const ProductSum& sum, std::span<const View> views, std::span<const Reg> registers) {
  SumNest nest{{}, nullptr, nullptr, nullptr, sum.begin, 1};
  Checked checked;
  for (size_t i = 0; i < sum.extents.size(); ++i) {
    nest.loops.push_back({registers[sum.extents[i]].i, 0, 0, 0, sum.moves[i]});
    if (nest.loops.back().extent <= 0) return std::nullopt;
    nest.products = checked.product(nest.products, nest.loops.back().extent);
  }
  static_cast<void>(checked.product(nest.products, SumNest::kInstructions));
  if (checked.failed) return std::nullopt;
  const View &out = views[sum.out.buffer], &left = views[sum.left.buffer], &right = views[sum.right.buffer];
  if (!out.writable || overlap(out, left) || overlap(out, right)) return std::nullopt;
  nest.out = begin(sum.out, out, registers, nest.loops, &SumNest::Loop::out);
  nest.left = begin(sum.left, left, registers, nest.loops, &SumNest::Loop::left);
  nest.right = begin(sum.right, right, registers, nest.loops, &SumNest::Loop::right);
  return nest.out && nest.left && nest.right ? std::optional(std::move(nest)) : std::nullopt;
}

bool sumProducts(const SumNest& nest, const std::function<bool()>& goesOn) {
  // Around: all loops up to the last that moves. It goes over elements; those behind it stay at one. Where none moves
  // there is one element.
  constexpr Loop kOnce{1, 0, 0, 0, true};
  size_t count = nest.loops.size();
  while (count > 0 && !nest.loops[count - 1].moves) --count;
  const Loop lanes = count > 0 ? nest.loops[count - 1] : kOnce;
  Odometer around(nest.loops.data(), count > 0 ? count - 1 : 0);
  const size_t staying = nest.loops.size() - count;
  const Loop last = staying > 0 ? nest.loops.back() : kOnce;
  Odometer inside(nest.loops.data() + count, staying > 0 ? staying - 1 : 0);
  int64_t products = 1;  // of an element, each time
  for (size_t i = count; i < nest.loops.size(); ++i) products *= nest.loops[i].extent;

  const std::span<const Width> widths = widthsOf(lanes);
  int64_t untilPoll = kPoll;
  Place place{nest.out, nest.left, nest.right};
  do {
    const std::optional<float> begin = around.begins() ? nest.begin : std::nullopt;
    for (int64_t lane = 0; lane < lanes.extent;) {
      Place first = place;
      first.add(lanes, lane);
      const Width& width = *std::find_if(widths.begin(), widths.end(),
                                         [&](const Width& each) { return each.elements <= lanes.extent - lane; });
      width.run(first, inside, last, begin);
      lane += width.elements;
      untilPoll -= width.elements * products;
      if (untilPoll > 0) continue;
      if (!goesOn()) return false;
      untilPoll = kPoll;
    }
  } while (around.next(place));
  return true;
}

}  // namespace rx::interpret
