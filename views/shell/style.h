// The look of the standard widgets: Qt palette, style and fonts made from a theme.
#pragma once

#include <QFont>

#include "views/theme/palette.h"

class QWidget;

namespace rx::views {

/// Fonts of the program; empty families are the desktop's.
struct Fonts {
  QString family;
  QString fixedFamily;
  double scale = 1;  // on the desktop's size
};

/// Applies theme and fonts to the whole program.
void applyStyle(const Palette& palette, const Fonts& fonts);
/// Draws a button as the one that goes on.
void markPrimary(QWidget* button);
/// The fixed-width font for IR, registers and numbers, at the size of `base`.
QFont monospaceFont(const QFont& base);

}  // namespace rx::views
