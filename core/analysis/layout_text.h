// Layouts as texts, and arithmetic on them. Letters are dimensions ("NCHW"), a number and a small letter an inner part
// of the dimension of that letter ("NCHW4c"). The layout of a tensor relative to its own order uses the letters from A
// on: "ABCD" is the order it has, "ACDB" the second dimension last. Results are nothing where the texts do not fit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::analysis {

/// A layout with this text; empty is that of a scalar.
using LayoutText = std::string;

/// The parts in order: "N", "C", "4c".
std::vector<std::string> partsOf(std::string_view layout);
/// Number of parts, and of dimensions.
size_t partCount(std::string_view layout);
size_t primalCount(std::string_view layout);
/// Whether a dimension is split.
inline bool isPacked(std::string_view layout) { return partCount(layout) != primalCount(layout); }
/// The layout of a tensor that nothing was done to: "ABC" for three dimensions; more than 26 have none.
std::optional<LayoutText> initialLayout(int64_t rank);

/// The parts of `layout` moved as they are moved from `source` to `target`.
std::optional<LayoutText> movedLike(std::string_view layout, std::string_view source, std::string_view target);
/// The same by letters, inner parts of `target` included: `letters` has one character for each of `source`.
std::optional<std::string> splitLike(std::string_view letters, std::string_view source, std::string_view target);
/// Where axis `axis` of the tensor stands in a layout relative to its order; -1 where it does not.
int64_t axisIn(std::string_view layout, int64_t axis);
/// The layout with dimensions of one more tensor before it, as broadcasting has them.
std::optional<LayoutText> broadcastTo(const LayoutText& layout, int64_t rank);
/// Whether a tensor of this shape goes from one layout to the other without padding.
bool fitsExactly(std::string_view source, std::string_view target, std::span<const tir::PrimExpr> shape);
/// Where elements go from one layout to another.
std::optional<Ref<tir::IndexMap>> indexMap(std::string_view source, std::string_view target);

}  // namespace rx::analysis
