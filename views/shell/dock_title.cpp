#include "views/shell/dock_title.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "views/theme/icons.h"

namespace rx::views {

DockTitle::DockTitle(QDockWidget* dock)
    : QWidget(dock), dock_(dock), float_(new QToolButton(this)), close_(new QToolButton(this)) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 2, 0);
  line->setSpacing(0);
  line->addStretch();
  for (QToolButton* button : {float_, close_}) {
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);
    line->addWidget(button);
  }
  float_->setToolTip(tr("Float or dock"));
  float_->setAccessibleName(tr("Float or dock"));
  close_->setToolTip(tr("Close"));
  close_->setAccessibleName(tr("Close"));
  connect(float_, &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
  connect(close_, &QToolButton::clicked, dock, &QDockWidget::close);
  connect(dock, &QDockWidget::windowTitleChanged, this, [this] { update(); });
  setIcons();
}

void DockTitle::setIcons() {
  const Palette& theme = Palette::forQt(palette());
  float_->setIcon(icon("float", theme));
  close_->setIcon(icon("close", theme));
}

void DockTitle::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) setIcons();
}

void DockTitle::setTabbed(bool tabbed) {
  if (tabbed == tabbed_) return;
  tabbed_ = tabbed;
  float_->setVisible(!tabbed);
  close_->setVisible(!tabbed);
  updateGeometry();
}

QSize DockTitle::sizeHint() const {
  // A tabbed dock keeps one pixel: Qt wants a title bar of some size.
  return tabbed_ ? QSize(10, 1) : QSize(fontMetrics().averageCharWidth() * 12, fontMetrics().height() * 8 / 5);
}

void DockTitle::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), tabbed_ ? theme.border : theme.window);
  if (tabbed_) return;
  QFont bold = font();
  bold.setBold(true);
  const int space = fontMetrics().averageCharWidth();
  const int width = QFontMetrics(bold).horizontalAdvance(dock_->windowTitle()) + 2 * space;
  painter.fillRect(QRect(0, 0, width, height()), theme.base);
  painter.fillRect(QRect(0, 0, width, 2), theme.accent);
  painter.setFont(bold);
  painter.setPen(theme.text);
  painter.drawText(QRect(space, 0, this->width() - 2 * space, height()), Qt::AlignVCenter, dock_->windowTitle());
}

}  // namespace rx::views
