// Layouts of tensors as text: axes by capital letters, what was split off by a number and a small letter ("NCHW4c"),
// once or more often.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/relay/dims.h"

namespace rx::relay {

class Layout {
 public:
  struct Axis {
    char name;
    int64_t factor;  ///< of a small letter
    bool isWhole() const { return name >= 'A' && name <= 'Z'; }
    char capital() const { return static_cast<char>(isWhole() ? name : name - 'a' + 'A'); }
    bool operator==(const Axis&) const = default;
  };
  /// The layout of a number.
  Layout() = default;
  explicit Layout(std::vector<Axis> axes) : axes_(std::move(axes)) {}
  /// Nothing when the text is no layout.
  static std::optional<Layout> parse(std::string_view text);
  size_t rank() const { return axes_.size(); }
  const std::vector<Axis>& axes() const { return axes_; }
  std::string name() const;
  bool operator==(const Layout&) const = default;
  /// How many axes are no parts of others.
  size_t wholeAxes() const;
  /// The last `count` axes.
  Layout last(size_t count) const;
  /// Into how large parts the axis of a capital letter is split; nothing where it is not.
  std::optional<int64_t> factorOf(char axis) const;
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
  std::vector<Axis> axes_;
};

}  // namespace rx::relay
