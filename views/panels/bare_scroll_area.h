// A scroll area that is not seen as such: no frame, and what is in it takes the room that there is.
#pragma once

#include <QScrollArea>

namespace rx::views {

inline QScrollArea* bareScrollArea(QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setFrameShape(QFrame::NoFrame);
  area->setWidgetResizable(true);
  return area;
}

}  // namespace rx::views
