// The system's large pages for large blocks of memory: to touch one costs as much as to touch 32 small ones, so that it
// pays before half of it is used.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace rx {

inline constexpr size_t kLargePage = 2 << 20;

/// So many bytes in whole large pages, rounded up.
constexpr size_t inLargePages(size_t bytes) { return (bytes + kLargePage - 1) / kLargePage * kLargePage; }

/// Asks for large pages, where the system has some, for those that lie whole in a block which begins with one.
inline void wantLargePages(void* block, size_t bytes) {
  ::madvise(block, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
}

}  // namespace rx
