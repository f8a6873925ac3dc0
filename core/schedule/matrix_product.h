// Products of matrices that cores of their own multiply: what leads to the product, and what follows from it, as the
// kernels of these rules need them.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "core/ir/all_nodes.h"
#include "core/schedule/schedule.h"

namespace rx::schedule {

/// A block that stores one element for each place (batch, one, other), which its axes tell.
struct Cells {
  Ref<tir::Block> block;
  std::array<std::vector<std::pair<tir::VarRef, tir::PrimExpr>>, 3> axes;  ///< of each dimension, with their extents

  /// Nothing where `place` is something else than axes, each in one dimension, in order.
  static std::optional<Cells> of(Ref<tir::Block> block, const Array<tir::PrimExpr>& place);
  const tir::BufferStore& store() const { return *as<tir::BufferStore>(block->body); }
  /// The store at a place.
  tir::Stmt at(const std::array<tir::PrimExpr, 3>& place) const;
  /// Whether an expression is the last axis of a dimension.
  bool isLast(const tir::PrimExpr& expr, size_t dimension) const;
  /// The load whose elements along the last axis of a dimension follow each other in memory as they are, in whole
  /// groups of so many; null where there is none.
  const tir::BufferLoad* copied(size_t dimension, int64_t atOnce) const;
  /// How many elements further in a dense buffer what is loaded lies for one step along each dimension; nothing where
  /// that is no one number, or it does not begin where the buffer does.
  std::optional<std::array<int64_t, 3>> strides() const;
};

/// Sums of products over (batches, rows, columns, sums), with one store for each element of an operand or the result.
struct MatrixProduct {
  Cells left, right, result;
  tir::BufferRef sums;                   ///< that the block of the result reads
  std::array<tir::PrimExpr, 4> extents;  ///< batches, rows, columns, sums
  DataType element;                      ///< of both operands

  /// The only reduction of a kernel, after normalizeMatmul. Fails, in the name of a primitive, with what it is instead.
  static Result<MatrixProduct> of(const Schedule& schedule, BlockRef block, std::string_view primitive);
  /// The store of an element, of which `sum` is the sum; nothing happens outside of the matrices.
  tir::Stmt stored(const tir::PrimExpr& batch, const tir::PrimExpr& row, const tir::PrimExpr& column,
                   const tir::PrimExpr& sum) const;
  /// So many threads for each tile of the result: the body of one, which needs these buffers.
  tir::Stmt kernel(
      int64_t rows, int64_t columns, int64_t threads, Array<tir::BufferRef> buffers,
      const std::function<tir::Stmt(const tir::PrimExpr& batch, const tir::PrimExpr& row, const tir::PrimExpr& column,
                                    const tir::PrimExpr& thread)>& body) const;
};

/// Makes `kernel` all that the kernel does, in place of its blocks and their buffers.
void replaceAll(Schedule& schedule, tir::Stmt kernel);

/// As an int64.
tir::PrimExpr wide(tir::PrimExpr x);
/// How many tiles of a size cover an extent.
tir::PrimExpr tilesOf(const tir::PrimExpr& extent, int64_t each);
/// A loop of so many steps.
tir::Stmt counted(int64_t extent, const std::function<tir::Stmt(const tir::PrimExpr&)>& body);
/// What tensor cores call the type of the operands ("fp16", "bf16").
tir::PrimExpr elementName(DataType element);
/// Where a load of a dense buffer lies in it, in elements.
tir::PrimExpr flatPlace(const tir::BufferLoad& load);

}  // namespace rx::schedule
