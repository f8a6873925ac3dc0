#include "core/debug/state_samples.h"

#include <bit>

namespace rx::debug {

std::vector<int64_t> sampledStates(int64_t first, int64_t last, int64_t most) {
  std::vector<int64_t> order;
  if (last < first || most < 1) return order;
  order.push_back(last);
  if (last > first && most > 1) order.push_back(first);
  const int64_t between = last - first - 1, room = most - 2;
  if (between <= 0 || room <= 0) return order;
  const auto inside = [first = first, last = last](int64_t stride) { return (last - 1) / stride - first / stride; };
  int64_t finest = 1;
  while (inside(finest) > room) finest *= 2;
  const auto widest = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(last) + 1));
  for (int64_t stride = widest; stride >= finest; stride /= 2)
    for (int64_t state = (last - 1) / stride * stride; state > first; state -= stride)
      if (stride == widest || state / stride % 2 != 0) order.push_back(state);
  return order;
}

}  // namespace rx::debug
