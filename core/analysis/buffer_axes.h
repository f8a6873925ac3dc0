// Which axes of the buffers of a kernel run together: its loops walk over both from end to end by the same iterator, so
// that dividing one divides the other.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/ir/relax.h"
#include "core/ir/stmt.h"

namespace rx::analysis {

struct BufferAxis {
  const tir::Buffer* buffer;
  size_t dim;
  bool operator==(const BufferAxis&) const = default;
};

class BufferAxes {
 public:
  explicit BufferAxes(const tir::PrimFunc& function);
  /// The axis and all that run together with it, through others too.
  std::vector<BufferAxis> together(const BufferAxis& axis) const;

 private:
  struct Hash {
    size_t operator()(const BufferAxis& axis) const {
      return std::hash<const void*>()(axis.buffer) ^ (axis.dim * 0x9e3779b97f4a7c15ULL);
    }
  };
  void visitBlock(const tir::Block& block);

  std::unordered_map<BufferAxis, std::vector<BufferAxis>, Hash> joined_;
};

/// A place where a block reads or writes a buffer.
struct BufferAccess {
  const tir::Buffer* buffer;
  Array<tir::PrimExpr> indices;
};
/// Those of the block itself, without those of blocks in it.
std::vector<BufferAccess> accessesOf(const tir::Block& block);
/// The iterator of the block whose extent says how far the index runs: itself, or the outermost of a sum of them. Null
/// where shortening it would not shorten the range of the index to a beginning of it.
tir::VarRef outermostIter(const tir::PrimExpr& index, const tir::Block& block, arith::Analyzer& analyzer);

}  // namespace rx::analysis
