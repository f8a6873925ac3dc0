// What several files of the translation of operators use.
#pragma once

#include "core/relay/passes/to_relax_call.h"

namespace rx::relay::translate {

/// The operator of the row, zeros or ones, of a shape.
relax::Expr filledWith(CallTranslation& t, const Dims& shape, DataType type);
relax::Expr oneHotOf(CallTranslation& t, const Dim& depth);
/// Zeros, or another value, with a dense tensor's elements at some places.
relax::Expr denseOf(CallTranslation& t, const Dims& shape);
/// The `k` first of what is sorted along an axis.
relax::Expr topkOf(CallTranslation& t, const Dim& k);
/// Padding with a tensor's value; `width` gives what comes before and after each dimension.
relax::Expr paddedWith(CallTranslation& t, const relax::Expr& data, const relax::Expr& value, const Dims& before,
                       const Dims& after);
/// The elements so many steps from each other along each axis, and a number between them.
relax::Expr spreadOut(CallTranslation& t, const relax::Expr& value, std::span<const int64_t> steps, double between);
/// A product, whose sums of bfloat16 are float32 until they are done.
relax::Expr product(CallTranslation& t, std::vector<NodeRef> args, std::vector<op::Keyword> given = {});
/// The value in another layout; axes are joined with their tiles and split again.
relax::Expr inLayout(CallTranslation& t, const relax::Expr& value, std::string_view from, std::string_view to);
/// The capital letters of a layout, in its order.
std::string plainLayout(std::string_view layout);
/// The elements of a slice for all axes, whose bounds are vectors; or how many elements each has instead of where it
/// ends.
relax::Expr slicedBy(CallTranslation& t, const relax::Expr& begin, const relax::Expr& end, const relax::Expr& strides,
                     bool sizes);
/// The image in another size.
relax::Expr resizedTo(CallTranslation& t, const Dims& size, std::string_view method, std::string_view mode);

}  // namespace rx::relay::translate
