// The operators that allocate memory, at any stage of a program.
#pragma once

#include <string_view>

#include "core/ir/relax.h"

namespace rx::analysis {

enum class Allocation : uint8_t {
  None,
  Storage,         ///< memory of so many bytes, its first argument
  Tensor,          ///< a tensor with memory of its own
  TensorInStorage  ///< a tensor in a storage that was allocated before
};

/// By the full name of an operator ("relax.memory.alloc_storage").
Allocation allocationOf(std::string_view op);
/// Of a call; None of those of functions too.
Allocation allocationOf(const relax::Call& call);

}  // namespace rx::analysis
