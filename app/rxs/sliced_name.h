// "y[0:3, :]": an array, or a part of it, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/slice.h"

namespace rx::cli {

struct SlicedName {
  std::string array;
  std::vector<std::optional<IndexRange>> axes;  ///< of the first axes; nothing stands for all of one
};

/// Reads "NAME[BEGIN:END, …]"; a missing BEGIN is 0 and ":" all of an axis. Nothing where the text is not of that form.
std::optional<SlicedName> slicedName(std::string_view text);

}  // namespace rx::cli
