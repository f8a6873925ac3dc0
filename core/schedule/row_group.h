// Row groups: stages of a kernel that go through the same rows, as a softmax and a norm do. Run row by row, what one
// stage hands to the next stays in the nearest cache. Where products are added up among them, as in attention, several
// rows go together: each number of an operand that all rows read is then read once for all of them.
#pragma once

#include <functional>
#include <memory>

#include "core/schedule/pieces.h"
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
/// reduces, none adds up products that several rows share and the first none at all, and each reads what those before
/// it made of its own row alone. No axis that lies in order in what most is read or stored of is one of rows.
/// `isPrivate(buffer, count)`: nobody but the first `count` stages reads the buffer.
std::optional<RowGroup> rowGroupAt(std::span<const std::optional<Stage>> stages,
                                   const std::function<bool(const tir::BufferRef&, size_t)>& isPrivate);

/// Stages of the same rows with sums of products among them.
class TileGroup {
 public:
  virtual ~TileGroup() = default;
  /// Steps of the axis that is cut into tiles, and of one row of what the stages hand on.
  virtual const StageAxis& tiled() const = 0;
  virtual int64_t elementsOfRow() const = 0;
  virtual size_t size() const = 0;
  /// The rows of a piece; its `rows` are the axes around the one that is cut. Behind the end the last row is made
  /// again.
  virtual RowGroup tile(const Piece& piece) const = 0;
};

/// The group that begins with the first of these stages, a sum of products; nothing where there is none: at least two
/// sums of products, and between them a reduction of what the first gave.
std::unique_ptr<TileGroup> tileGroupAt(std::span<const std::optional<Stage>> stages,
                                       const std::function<bool(const tir::BufferRef&, size_t)>& isPrivate);

}  // namespace rx::schedule
