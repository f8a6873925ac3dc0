// The colours of what is past.
#pragma once

#include "views/theme/palette.h"

namespace rx {

/// A theme for results that are past: its grounds and links are those of `theme`, its words and marks are grey, and its
/// kinds and states have no hue.
Palette pastTheme(const Palette& theme);

}  // namespace rx
