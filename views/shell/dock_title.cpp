#include "views/shell/dock_title.h"

#include <QDockWidget>
#include <QEvent>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "views/shell/dock_tabs.h"
#include "views/shell/themed_style.h"
#include "views/theme/icons.h"

namespace rx::views {

DockButtons::DockButtons(QWidget* parent)
    : QWidget(parent), float_(new QToolButton(this)), close_(new QToolButton(this)) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 2, 0);
  setAttribute(Qt::WA_NoMousePropagation);  // a press beside the buttons is none on what lies behind
  line->setSpacing(0);
  for (QToolButton* button : {float_, close_}) {
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);  // the menu of the tab does the same by the keyboard
    line->addWidget(button);
  }
  connect(float_, &QToolButton::clicked, this, [this] { Q_EMIT floatWanted(dock_); });
  connect(close_, &QToolButton::clicked, this, [this] { Q_EMIT closeWanted(dock_); });
  float_->setIcon(icon("float"));
  close_->setIcon(icon("close"));
}

void DockButtons::setDock(QDockWidget* dock) {
  dock_ = dock;
  const QString name = dock ? dock->windowTitle() : QString();
  const int letters = fontMetrics().height();
  for (QToolButton* button : {float_, close_}) button->setIconSize(QSize(letters, letters));
  const QString tip = tr("Float or dock %1").arg(name);
  if (float_->toolTip() == tip) return;
  float_->setToolTip(tip);
  float_->setAccessibleName(float_->toolTip());
  close_->setToolTip(tr("Close %1  Ctrl+W").arg(name));
  close_->setAccessibleName(tr("Close %1").arg(name));
}

void DockButtons::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), Palette::forQt(palette()).window); }

DockTitle::DockTitle(QDockWidget* dock) : QWidget(dock), dock_(dock), buttons_(new DockButtons(this)) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  line->addStretch();
  line->addWidget(buttons_);
  buttons_->setDock(dock);
  connect(dock, &QDockWidget::windowTitleChanged, this, [this, dock] {
    buttons_->setDock(dock);
    update();
  });
}

void DockTitle::setTabbed(bool tabbed) {
  if (tabbed == tabbed_) return;
  tabbed_ = tabbed;
  buttons_->setVisible(!tabbed);
  updateGeometry();
}

void DockTitle::setFocused(bool focused) {
  if (focused == focused_) return;
  focused_ = focused;
  update();
}

QSize DockTitle::sizeHint() const {
  // A tabbed dock keeps one pixel: Qt wants a title bar of some size.
  if (tabbed_) return QSize(10, 1);
  if (!hint_.isValid()) {
    const QSize text(fontMetrics().averageCharWidth() * 12, fontMetrics().height());
    hint_ = spaceOf(Spaced::Tab, fontMetrics()).around(text);
  }
  return hint_;
}

void DockTitle::changeEvent(QEvent* event) {
  // Another style comes with another font, and a font with other sizes.
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
    hint_ = {};
    buttons_->setDock(dock_);
  }
  QWidget::changeEvent(event);
}

void DockTitle::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), tabbed_ ? theme.border : theme.window);
  if (tabbed_) return;
  QFont bold = font();
  bold.setBold(true);
  const int space = spaceOf(Spaced::Tab, fontMetrics()).across;
  const bool pinned = dock_->property(DockTabs::kPinned).toBool();
  const int mark = pinned ? fontMetrics().height() : 0;
  const int room = width() - buttons_->width() - mark;
  const QString title = QFontMetrics(bold).elidedText(dock_->windowTitle(), Qt::ElideRight, room - 2 * space);
  const int tab = QFontMetrics(bold).horizontalAdvance(title) + 2 * space + mark;
  painter.fillRect(QRect(0, 0, tab, height()), theme.base);
  painter.fillRect(QRect(0, 0, tab, 2), focused_ ? theme.accent : theme.border);
  painter.setFont(bold);
  painter.setPen(theme.text);
  painter.drawText(QRect(space + mark, 0, tab - space - mark, height()), Qt::AlignVCenter, title);
  const QRect pin(space / 2, (height() - mark) / 2 + 1, mark, mark);
  if (pinned) icon("pin", theme.accent).paint(&painter, pin);
}

}  // namespace rx::views
