// Memory for lists that live as long as one call.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace rx {

/// So many bytes on the stack, more from the heap; what a list gives back comes free with the whole. For lists that
/// seldom are long: `std::pmr::vector<T> list(memory.resource())`.
template <size_t Bytes>
class ShortMemory {
 public:
  std::pmr::memory_resource* resource() { return &resource_; }

 private:
  alignas(std::max_align_t) std::byte room_[Bytes];
  std::pmr::monotonic_buffer_resource resource_{room_, Bytes};
};

}  // namespace rx
