// A buffer as a running kernel has it: where its elements lie.
#pragma once

#include <cstddef>
#include <vector>

#include "core/tensor/storage.h"

namespace rx::interpret {

struct View {
  std::byte* data = nullptr;
  int64_t bytes = 0;     ///< that lie behind data
  int64_t elements = 0;  ///< that fit there
  int64_t offset = 0;
  int64_t elementBytes = 1, partBytes = 1;  ///< of a vector, and of its elements
  bool writable = true;
  bool own = false;  ///< memory that the kernel allocated
  struct Axis {
    int64_t size, stride;
  };
  std::vector<Axis> axes;
  Ref<Storage> storage;
};

}  // namespace rx::interpret
