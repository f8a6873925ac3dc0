// Inputs of a step that are not any more what was written to them: their memory was given to another value too early.
#pragma once

#include "core/debug/recording.h"

namespace rx::debug {

struct Overwritten {
  std::string binding;   ///< whose value it is
  std::string by;        ///< the binding, or the instruction, whose step changed its bytes last
  uint32_t written = 0;  ///< the step that wrote the value
  uint32_t changed = 0;  ///< and the one that changed its bytes
  uint32_t reg = 0;      ///< of the step's frame that holds it
  uint64_t storage = 0;  ///< as values show it (storageNumber)
  int64_t offset = 0;    ///< bytes of the storage [offset, offset + bytes)
  int64_t bytes = 0;
  Value made, read;  ///< the tensor as it was written, and as the step was given it
};

/// The tensors that a step was given whose bytes differ from those that the step left which wrote them. Fails as
/// reading does.
Result<std::vector<Overwritten>> overwrittenInputs(const Recording& run, uint32_t step);

}  // namespace rx::debug
