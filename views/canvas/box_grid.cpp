#include "views/canvas/box_grid.h"

#include <algorithm>
#include <cmath>

namespace rx {

BoxGrid::BoxGrid(const QRectF& view, double cell, const std::vector<QRectF>& boxes)
    : boxes_(boxes),
      origin_(view.topLeft()),
      cell_(std::max(1.0, cell)),
      columns_(1 + static_cast<int>(std::max(0.0, view.width()) / cell_)),
      rows_(1 + static_cast<int>(std::max(0.0, view.height()) / cell_)),
      starts_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_) + 1) {
  // Counted first, so that all cells share one list.
  const auto each = [&](const auto& visit) {
    for (uint32_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].isNull() || !boxes[i].intersects(view)) continue;
      const Cells at = cellsOf(boxes[i]);
      for (int y = at.top; y <= at.bottom; ++y)
        for (int x = at.left; x <= at.right; ++x) visit(cellAt(x, y), i);
    }
  };
  each([this](size_t at, uint32_t) { ++starts_[at]; });
  uint32_t sum = 0;
  for (uint32_t& start : starts_) {
    sum += start;
    start = sum;  // where its boxes end, until each is put before the last one
  }
  items_.resize(sum);
  each([this](size_t at, uint32_t i) { items_[--starts_[at]] = i; });
}

BoxGrid::Cells BoxGrid::cellsOf(const QRectF& rect) const {
  const auto along = [this](double at, int cells) {
    return static_cast<int>(std::clamp(std::floor(at / cell_), 0.0, static_cast<double>(cells - 1)));
  };
  return {along(rect.left() - origin_.x(), columns_), along(rect.top() - origin_.y(), rows_),
          along(rect.right() - origin_.x(), columns_), along(rect.bottom() - origin_.y(), rows_)};
}

bool BoxGrid::meets(const QRectF& rect, size_t own) const {
  const Cells at = cellsOf(rect);
  for (int y = at.top; y <= at.bottom; ++y)
    for (int x = at.left; x <= at.right; ++x) {
      const size_t cell = cellAt(x, y);
      for (uint32_t i = starts_[cell]; i < starts_[cell + 1]; ++i)
        if (items_[i] != own && boxes_[items_[i]].intersects(rect)) return true;
    }
  return false;
}

}  // namespace rx
