#include "views/theme/scope_look.h"

#include <iterator>

namespace rx {

ScopeLook scopeLook(int branch, const Palette& theme) {
  struct Row {
    OpKind kind;
    Qt::PenStyle style;
  };
  // Colours that a legend of kinds names too, so that a theme need not know of scopes.
  static constexpr Row kRows[] = {{OpKind::Constant, Qt::DashLine},
                                  {OpKind::Elementwise, Qt::DotLine},
                                  {OpKind::Reduction, Qt::DashDotLine},
                                  {OpKind::Movement, Qt::DashDotDotLine}};
  if (branch < 0) return {theme.grey, theme.grey, Qt::SolidLine};
  const Row& row = kRows[static_cast<size_t>(branch) % std::size(kRows)];
  return {theme.of(row.kind).line, theme.of(row.kind).ink, row.style};
}

}  // namespace rx
