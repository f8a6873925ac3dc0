// Which of very many boxes on screen a small rectangle meets: what each label is tried against.
#pragma once

#include <QRectF>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rx {

class BoxGrid {
 public:
  /// Of the boxes of which some stands in `view`; `cell` is about the size of what is asked for, in pixels.
  BoxGrid(const QRectF& view, double cell, const std::vector<QRectF>& boxes);

  /// Whether a rectangle inside the view meets a box other than that of index `own`.
  bool meets(const QRectF& rect, size_t own) const;

 private:
  struct Cells {
    int left, top, right, bottom;  // the last ones included
  };
  Cells cellsOf(const QRectF& rect) const;
  size_t cellAt(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(columns_) + static_cast<size_t>(x);
  }
  const std::vector<QRectF>& boxes_;
  QPointF origin_;
  double cell_;
  int columns_, rows_;
  std::vector<uint32_t> starts_;  // of each cell in `items_`, and the end of the last
  std::vector<uint32_t> items_;   // indices of boxes, by cells
};

}  // namespace rx
