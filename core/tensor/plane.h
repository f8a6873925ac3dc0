// Plane: two axes of a tensor as a picture of bounded size, the other axes held fixed.
#pragma once

#include <optional>

#include "core/support/cancel.h"
#include "core/tensor/elements.h"

namespace rx {

/// Which plane, and how large its picture may be. An axis of -1 is absent: the plane then is one row, or one column.
struct PlaneWish {
  int rowAxis = -1;
  int columnAxis = -1;
  std::vector<int64_t> at;  ///< an index for every axis; those of the two axes do not matter
  int64_t mostRows = 256;
  int64_t mostColumns = 256;
};

/// A cell of the picture stands for one element or for a rectangle of them.
struct Plane {
  int64_t rows = 0;  ///< of the picture
  int64_t columns = 0;
  int64_t fullRows = 0;  ///< of the tensor
  int64_t fullColumns = 0;
  std::vector<float> low;  ///< smallest and largest finite element of a cell; NaN where it has none
  std::vector<float> high;
  std::vector<uint8_t> bad;  ///< 1 where the cell has a NaN, 2 where it has an Inf, 3 for both
  bool sampled = false;      ///< the cells stand for more elements than were looked at
};

/// Fails with tensor.plane for axes or indices that the tensor does not have; nothing when cancelled.
Result<std::optional<Plane>> planeOf(const Elements& elements, const PlaneWish& wish, const CancelToken& token = {});

}  // namespace rx
