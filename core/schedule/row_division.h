// Divisions of a whole row by a sum of that row: one division, and a product for each element.
#pragma once

#include <optional>

#include "core/schedule/row_group.h"

namespace rx::schedule {

/// A stage of float32 that divides its elements by a number of the row.
struct RowDivision {
  tir::PrimExpr divisor;       ///< made of sums of the row, the same for every element
  tir::BufferRef reciprocal;   ///< one element
  Stage stage;                 ///< with products by the reciprocal instead of the divisions
  tir::PrimExpr isInRange;     ///< whether the reciprocal is a normal number, which rounds as little as any division
  tir::Stmt storesReciprocal;  ///< fills `reciprocal`
};

/// Nothing where stage `number` of the group divides no float32 by such a sum, or its row is of less than a few vectors
/// of `perVector` elements. The sum is one whose order the schedule chose: a product by its reciprocal differs from the
/// quotient by less than that order may make of it. A quotient by anything else stays one.
std::optional<RowDivision> divisionOfRow(const RowGroup& group, size_t number, int64_t perVector);

}  // namespace rx::schedule
