// The icons of the window: files of resources/icons, drawn in the ink of the theme at any size and scale.
#pragma once

#include <QIcon>

#include "views/theme/palette.h"

namespace rx::views {

/// The icon of resources/icons/<name>.svg in the ink of the theme, paler where it is disabled; a null icon when there
/// is no such file.
QIcon icon(const char* name, const Palette& palette);
/// The same for what keeps it (a button, an action): in the theme that the program has when it is drawn, so that nobody
/// has to make it again when the theme changes.
QIcon icon(const char* name);
/// The same in a colour of the caller's choice, for icons on coloured grounds.
QIcon icon(const char* name, const QColor& ink);

}  // namespace rx::views
