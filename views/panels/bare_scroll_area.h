// A scroll area that is not seen as such: no frame, and what is in it takes the room that there is.
#pragma once

#include <QLayout>
#include <QScrollArea>

namespace rx::views {

inline QScrollArea* bareScrollArea(QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setFrameShape(QFrame::NoFrame);
  area->setWidgetResizable(true);
  return area;
}

/// What stands in such an area: as high as it has to be for the width of the area. A widget is asked how high it would
/// be in the width that it would like, too, and then every text in it breaks its lines for a width that it never has.
class ScrolledContent : public QWidget {
 public:
  using QWidget::QWidget;
  QSize sizeHint() const override { return minimumSizeHint(); }
  QSize minimumSizeHint() const override {
    const bool wraps = layout() && layout()->hasHeightForWidth();
    return wraps ? QSize(layout()->minimumSize().width(), 0) : QWidget::minimumSizeHint();
  }
};

}  // namespace rx::views
