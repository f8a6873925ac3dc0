// The own colours that the settings keep, for each theme by itself.
#pragma once

#include "views/theme/own_colors.h"

namespace rx::views {

class Settings;

OwnColors ownColors(const Settings& settings, bool dark);
/// One of them; a colour that is none takes it back.
void setOwnColor(Settings& settings, bool dark, const QString& role, const QColor& color);
/// Draws with what the settings say from now on; what is on screen is told where a colour is another one.
void applyOwnColors(const Settings& settings);

}  // namespace rx::views
