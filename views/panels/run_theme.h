// The colours of what a run gave: grey where the run is past.
#pragma once

#include <QWidget>

#include "views/models/debug_session.h"
#include "views/theme/past_theme.h"

namespace rx::views {

/// The theme in which a widget shows results of the session's run.
inline Palette runTheme(const DebugSession& debug, const QWidget& widget) {
  const Palette& theme = Palette::forQt(widget.palette());
  return debug.pastOf().isEmpty() ? theme : pastTheme(theme);
}

}  // namespace rx::views
