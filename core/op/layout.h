// Data layouts such as "NCHW" and "NCHW16c": capital letters are dimensions, a number with a small letter is an inner
// part of the dimension of that letter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/rules.h"

namespace rx::op {

class Layout {
 public:
  /// Nothing when the text is no layout (an unknown character, a letter twice, an inner part without its dimension).
  static std::optional<Layout> parse(std::string_view text);
  int64_t rank() const { return static_cast<int64_t>(parts_.size()); }
  /// True when both name the same dimensions, split or not.
  bool covers(std::string_view plain) const;
  /// The lengths in the plain layout `plain` ("NCHW"), from lengths in this one.
  Dims toPlain(std::string_view plain, std::span<const PrimExpr> dims) const;
  /// The other way.
  Dims fromPlain(std::string_view plain, std::span<const PrimExpr> dims) const;
  /// Index of a letter's (outer) dimension, or -1.
  int indexOf(char letter) const;

 private:
  struct Part {
    char letter;
    int64_t factor;  ///< 0 for the dimension itself, else the length of the inner part
  };
  std::vector<Part> parts_;
};

/// The layout of an attribute, refused unless it covers `plain`.
Result<Layout> layoutAttr(const Call& call, std::string_view name, std::string_view plain);
/// The known dimensions of a tensor in this layout brought to `plain`; nothing when unknown; a refusal when the rank
/// does not fit.
Result<std::optional<Dims>> plainDims(const Call& call, size_t index, const Layout& layout, std::string_view plain);

/// A list of `count` integers from one, or as it is; refused otherwise.
Result<Unit> spreadList(BoundCall& bound, std::string_view param, size_t count);
/// Padding as begin and end: from one, `count` or 2*`count` integers.
Result<Unit> spreadPadding(BoundCall& bound, std::string_view param, size_t count);
/// A layout attribute that is not given is the same as another.
void defaultLayout(BoundCall& bound, std::string_view param, std::string_view source);

}  // namespace rx::op
