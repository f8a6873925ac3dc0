// Types written short: `R.Tensor((n, 32), dtype="float32")` as `(n, 32) f32`, so that the operator that follows can be
// seen in a narrow view. Only the picture changes: the text that is searched and copied keeps every byte.
#pragma once

#include <string_view>
#include <vector>

#include "views/text/line_metrics.h"

namespace rx {

/// The types of one line that have a short form, in order. A type with anything but a shape and a type of elements (a
/// device, an unknown number of dimensions) keeps its long form.
std::vector<Shortening> shortTypes(std::string_view line);

/// A type alone, short: "((1, 64) f32, (64,) f32)" of a tuple, "ndim 2 f32" where only the number of dimensions is
/// known. What else it says stays as it is.
QString shortType(const QString& info);

/// How types are written, from all of them to none.
enum class TypeForm : uint8_t { Whole, Short, Hidden };

/// What of a line is written shorter in a form. Short folds the annotation of a tuple (`lv: R.Tuple(…) = `) and leaves
/// out comments that say a type (` /* ty=Tensor[(4), float32] */`), Hidden leaves out the annotation of a binding (`lv:
/// R.Tensor(...) = `) altogether, as there is room for its operator and value only.
std::vector<Shortening> typesAs(TypeForm form, std::string_view line);

/// The shape that the annotation of a binding says, "(n, 32)", of one whose type has a short form; else empty.
QString shapeOf(std::string_view line);

}  // namespace rx
