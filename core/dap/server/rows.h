// Rows of an answer about variables.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/dap/types.h"
#include "core/tensor/host_tensor.h"

namespace rx::dap {

/// Variables in one answer where the client names no count.
inline constexpr int64_t kMaxVariables = 10000;

/// "[1, 2]" of the element with this row-major number.
inline std::string indexText(int64_t element, std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(elementIndex(shape, element), ", "));
}

/// The part [start, start + count) of `size` things; count 0 = the rest, as DAP pages variables.
inline std::pair<int64_t, int64_t> page(int64_t start, int64_t count, int64_t size) {
  int64_t from = std::clamp<int64_t>(start, 0, size);
  int64_t length = count > 0 ? count : kMaxVariables;
  return {from, from + std::min(length, size - from)};
}

/// One without parts.
inline Variable plain(std::string name, std::string value) {
  Variable variable;
  variable.name = std::move(name);
  variable.value = std::move(value);
  return variable;
}

}  // namespace rx::dap
