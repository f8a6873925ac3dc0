// The rules of the layout column, and what they share.
#pragma once

#include "core/analysis/infer_layout.h"
#include "core/op/rules.h"

namespace rx::analysis {

/// Nothing of the query fits the operator.
Failure noLayout(const LayoutQuery& query, std::string_view why);
/// Layout of a tensor argument.
Result<LayoutText> layoutAt(const LayoutQuery& query, size_t index);
/// The same, where the operator can not deal with split dimensions: the layout that the tensor had at first.
Result<LayoutText> unpackedAt(const LayoutQuery& query, size_t index);
/// The known dimensions that an argument had at first.
Result<Array<tir::PrimExpr>> shapeAt(const LayoutQuery& query, size_t index);
/// The layout that an argument had at first.
Result<LayoutText> initialAt(const LayoutQuery& query, size_t index);
Result<LayoutText> orRefuse(const LayoutQuery& query, std::optional<LayoutText> layout);
/// The attributes with an axis, or a list of axes, as they stand in a layout.
ir::Attrs withAxis(const LayoutQuery& query, const ir::Attrs& attrs, std::string_view name, const LayoutText& layout);
ir::Attrs withAxes(const LayoutQuery& query, const ir::Attrs& attrs, std::string_view name, const LayoutText& layout);
/// Refuses a wish for an operator that follows what it gets.
Result<Unit> needNoWish(const LayoutQuery& query);

std::span<const LayoutRow> convLayoutRows();
std::span<const LayoutRow> nnLayoutRows();
std::span<const LayoutRow> elementwiseLayoutRows();
std::span<const LayoutRow> manipulateLayoutRows();
/// Of operators for which TVM has no rule.
std::span<const LayoutRow> ownLayoutRows();
/// The rule that goes further than TVM's in the place of this one; the same where there is none.
InferLayout wideForm(InferLayout rule);

}  // namespace rx::analysis
