// Axes in pieces: whole ones, and what is left.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "core/ir/stmt.h"

namespace rx::schedule {

/// So many steps of an axis from `first` on. Where `end` is there, steps from it on are none of the axis, and the first
/// is one.
struct Piece {
  tir::PrimExpr first;
  int64_t count;
  tir::PrimExpr end;

  /// Step `at` of the piece; beyond the end the last step of the axis.
  tir::PrimExpr step(const tir::PrimExpr& at) const;
  /// The statement, for a step that may lie beyond the end.
  tir::Stmt ifInside(const tir::PrimExpr& at, tir::Stmt statement) const;
};

/// How an axis is cut.
struct Cut {
  std::string_view name;  ///< of the loop over the pieces
  int64_t size;
  tir::ForKind kind = tir::ForKind::Serial;
  /// Where a run alone knows how much is left, that is a piece of the first of these sizes that holds it, or else of
  /// the whole size.
  std::span<const int64_t> lesser = {};
  /// There, every piece is made as one that may end early: less code, and slower.
  bool alike = false;
  /// There, what is left is made in pieces of this size, each of which may end early; 0: in one.
  int64_t leftIn = 0;
  /// There, what is left is made in pieces of half the size, of half of that and so on: none of them ends early. The
  /// size is a power of two.
  bool leftInHalves = false;
};

/// All of an axis that has so many steps: pieces of the size, and one of what is left.
tir::Stmt inPieces(const tir::PrimExpr& extent, const Cut& cut, const std::function<tir::Stmt(const Piece&)>& made);

}  // namespace rx::schedule
