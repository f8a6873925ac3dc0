// In which order the Relax functions of a module are read where they stand as values: `return cls.g` makes the type of
// g part of the type of who says it, so g comes first. Functions that stand as values in a circle have no such order.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace rx::script {

struct ValueOrder {
  std::vector<size_t> order;   ///< every function once, behind those that it uses as values (but for circles)
  std::vector<bool> circular;  ///< by function: it is part of a circle of two or more
};

/// `uses`: (user, used) pairs of indices below `count`. Functions without uses stay in the order of their indices.
ValueOrder valueOrder(size_t count, std::span<const std::pair<size_t, size_t>> uses);

}  // namespace rx::script
