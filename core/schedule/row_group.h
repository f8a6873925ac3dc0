// Row groups: stages of a kernel that go through the same rows, as a softmax and a norm do. Run row by row, what one
// stage hands to the next stays in the nearest cache.
#pragma once

#include <functional>

#include "core/schedule/stage.h"

namespace rx::schedule {

/// Stages one behind another, for one row at a time.
struct RowGroup {
  std::vector<StageAxis> rows;           ///< those of the first stage; their variables stand in the stages
  std::vector<Stage> stages;             ///< without the axes of the rows
  std::vector<tir::BufferRef> own;       ///< one row of what the stages hand on and nobody else reads
  std::vector<tir::BufferRef> replaced;  ///< what these stand for
};

/// The group that begins with the first of these stages; nothing where there is none: at least two stages, one of them
/// reduces, none adds up products, and each reads what those before it made of its own row alone. No axis that lies in
/// order in memory is one of rows. `isPrivate(buffer, count)`: nobody but the first `count` stages reads the buffer.
std::optional<RowGroup> rowGroupAt(std::span<const std::optional<Stage>> stages,
                                   const std::function<bool(const tir::BufferRef&, size_t)>& isPrivate);

}  // namespace rx::schedule
