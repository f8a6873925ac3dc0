// The look of the standard widgets: Qt palette, style and fonts made from a theme.
#pragma once

#include <QFont>

#include "views/theme/palette.h"

class QWidget;

namespace rx::views {

/// Applies theme and text size to the whole program.
void applyStyle(const Palette& palette, double textScale);
/// Draws a button as the one that goes on.
void markPrimary(QWidget* button);
/// The fixed-width font for IR, registers and numbers, at the size of `base`.
QFont monospaceFont(const QFont& base);

}  // namespace rx::views
