#include "core/tensor/plane.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rx {
namespace {

/// Elements that one picture looks at, and cells that it has, at most.
constexpr int64_t kElementBudget = int64_t{1} << 22;
constexpr int64_t kCellBudget = int64_t{1} << 18;

Result<Unit> check(const PlaneWish& wish, const std::vector<int64_t>& shape) {
  const auto rank = static_cast<int>(shape.size());
  for (const int axis : {wish.rowAxis, wish.columnAxis})
    if (axis < -1 || axis >= rank)
      return fail("tensor.plane", fmt::format("a tensor of {} axes has no axis {}", rank, axis));
  if (wish.rowAxis >= 0 && wish.rowAxis == wish.columnAxis)
    return fail("tensor.plane", "rows and columns are two different axes");
  if (wish.at.size() != shape.size())
    return fail("tensor.plane", fmt::format("an index for each of the {} axes is needed", rank));
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t at = wish.at[static_cast<size_t>(axis)];
    if (axis == wish.rowAxis || axis == wish.columnAxis) continue;
    if (at < 0 || at >= shape[static_cast<size_t>(axis)])
      return fail("tensor.plane", fmt::format("axis {} has no index {}", axis, at));
  }
  return Unit();
}

/// Steps from one element of a cell's side to the next, so that at most `most` are looked at.
int64_t strideFor(int64_t length, int64_t most) { return std::max<int64_t>(1, (length + most - 1) / most); }

struct Axis {
  int64_t full = 1;
  int64_t cells = 1;
  int64_t step = 0;  ///< elements from one index to the next
  int64_t begin(int64_t cell) const { return cell * full / cells; }
  int64_t longest() const { return (full + cells - 1) / cells; }
};

Axis axisOf(const std::vector<int64_t>& shape, int axis, int64_t most) {
  if (axis < 0) return {};
  Axis result;
  result.full = shape[static_cast<size_t>(axis)];
  result.cells = std::min(result.full, std::max<int64_t>(most, 1));
  result.step = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) result.step *= shape[i];
  return result;
}

void take(Plane* plane, size_t cell, double value) {
  if (!std::isfinite(value)) {
    plane->bad[cell] |= std::isnan(value) ? 1 : 2;
    return;
  }
  constexpr double kMost = std::numeric_limits<float>::max();
  const auto number = static_cast<float>(std::clamp(value, -kMost, kMost));
  float& low = plane->low[cell];
  float& high = plane->high[cell];
  if (!(low <= number)) low = number;
  if (!(high >= number)) high = number;
}

}  // namespace

Result<std::optional<Plane>> planeOf(const Elements& elements, const PlaneWish& wish, const CancelToken& token) {
  const std::vector<int64_t>& shape = elements.shape();
  RX_CHECK(check(wish, shape));
  const Axis rows = axisOf(shape, wish.rowAxis, std::min(wish.mostRows, kCellBudget));
  const Axis columns =
      axisOf(shape, wish.columnAxis, std::min(wish.mostColumns, kCellBudget / std::max<int64_t>(rows.cells, 1)));
  int64_t base = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool fixed = static_cast<int>(i) != wish.rowAxis && static_cast<int>(i) != wish.columnAxis;
    base = base * shape[i] + (fixed ? wish.at[i] : 0);
  }
  Plane plane{rows.cells, columns.cells, rows.full, columns.full, {}, {}, {}, false};
  const int64_t cells = elements.count() == 0 ? 0 : rows.cells * columns.cells;
  if (cells == 0) return std::optional<Plane>(std::move(plane));
  plane.low.assign(static_cast<size_t>(cells), std::numeric_limits<float>::quiet_NaN());
  plane.high = plane.low;
  plane.bad.assign(static_cast<size_t>(cells), 0);
  const int64_t each = std::max<int64_t>(1, kElementBudget / cells);
  const int64_t downStride = strideFor(rows.longest(), std::max<int64_t>(1, std::llround(std::sqrt(each))));
  const int64_t acrossStride =
      strideFor(columns.longest(), std::max<int64_t>(1, each / ((rows.longest() + downStride - 1) / downStride)));
  plane.sampled = downStride > 1 || acrossStride > 1;
  for (int64_t r = 0; r < rows.cells; ++r) {
    if (token.cancelled()) return std::optional<Plane>();
    for (int64_t y = rows.begin(r); y < rows.begin(r + 1); y += downStride)
      for (int64_t c = 0; c < columns.cells; ++c)
        for (int64_t x = columns.begin(c); x < columns.begin(c + 1); x += acrossStride)
          take(&plane, static_cast<size_t>(r * columns.cells + c),
               elements.at(base + y * rows.step + x * columns.step));
  }
  return std::optional<Plane>(std::move(plane));
}

}  // namespace rx
