// How the boxes and bars of scopes are drawn: each block of one owner differs in colour and in line.
#pragma once

#include <QColor>
#include <Qt>

#include "views/theme/palette.h"

namespace rx {

struct ScopeLook {
  QColor line;
  QColor ink;  ///< of its name, legible on the ground of panels
  Qt::PenStyle style;
};

/// `branch`: which block of its owner the scope is; -1 for the function itself.
ScopeLook scopeLook(int branch, const Palette& theme);

}  // namespace rx
