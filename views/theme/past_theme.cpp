#include "views/theme/past_theme.h"

namespace rx {

Palette pastTheme(const Palette& theme) {
  Palette past = theme;
  for (QColor Palette::*ink : {&Palette::text, &Palette::accent, &Palette::error, &Palette::warning, &Palette::note,
                               &Palette::good, &Palette::breakpoint})
    past.*ink = theme.grey;
  for (QColor Palette::*fill : {&Palette::errorFill, &Palette::warningFill, &Palette::goodFill})
    past.*fill = theme.filler;
  past.kinds.fill(theme.of(OpKind::Memory));
  return past;
}

}  // namespace rx
