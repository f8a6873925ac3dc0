// Layouts of tensors as text: axes by capital letters, what was split off by a number and a small letter ("NCHW4c").
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/relay/dims.h"

namespace rx::relay {

class Layout {
 public:
  /// Nothing when the text is no layout.
  static std::optional<Layout> parse(std::string_view text);
  size_t rank() const { return axes_.size(); }
  /// Where the axis of a capital letter stands; nothing where the layout has none.
  std::optional<size_t> find(char axis) const;
  bool has(char axis) const { return find(axis).has_value(); }
  /// Whether a part of the axis was split off.
  bool isSplit(char axis) const { return has(static_cast<char>(axis - 'A' + 'a')); }
  /// Whether it has the axes of `plain` ("NCHW"), each once, and no others.
  bool isOrderOf(std::string_view plain) const;
  /// A shape in this layout, in the order of `plain`.
  Dims toPlain(std::span<const Dim> shape, std::string_view plain) const;
  /// A shape in the order of `plain`, in this layout.
  Dims fromPlain(std::span<const Dim> shape, std::string_view plain) const;

 private:
  struct Axis {
    char name;
    int64_t factor;  ///< of a small letter
  };
  std::vector<Axis> axes_;
};

}  // namespace rx::relay
