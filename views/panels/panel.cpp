#include "views/panels/panel.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <utility>

#include "views/panels/list_view.h"

namespace rx::views {

void Panel::want(unsigned parts) {
  wanted_ |= parts;
  if (!queue_) return catchUpNow();
  if (isLookedAt()) queue_->add(this);
}

void Panel::bringUpToDate() {
  asked_ = true;
  catchUpNow();
}

void Panel::takeTurn() {
  if (isLookedAt()) catchUpNow();
}

void Panel::catchUpNow() {
  if (const unsigned parts = std::exchange(wanted_, 0)) catchUp(parts);
  if (busy()) return;
  asked_ = false;
  Q_EMIT settled();
}

QSize Panel::minimumSizeHint() const {
  constexpr int kLetters = 24, kLines = 6;
  return QWidget::minimumSizeHint().boundedTo(
      {fontMetrics().averageCharWidth() * kLetters, fontMetrics().height() * kLines});
}

bool Panel::command(const QString& name, const QStringList& arguments) {
  if (wanted_) catchUpNow();
  if (obey(name, arguments)) return true;
  ListView* list = name == QLatin1String("copy") && arguments.isEmpty() ? listToSearch() : nullptr;
  return list && list->copyRow();
}

/// One panel that comes into sight is shown at once, since its old content would be seen for a moment; the panels of a
/// layout take turns.
void Panel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!wanted_) return;
  if (!queue_ || queue_->isFirst()) return catchUpNow();
  queue_->add(this);
}

ListView* Panel::listToSearch() const {
  ListView* first = nullptr;
  for (ListView* list : findChildren<ListView*>()) {
    if (list->isAncestorOf(QApplication::focusWidget()) || list == QApplication::focusWidget()) return list;
    if (!first && list->isVisible()) first = list;
  }
  return first;
}

bool Panel::showFind() {
  ListView* list = listToSearch();
  if (list) list->openFind();
  return list;
}

bool Panel::findNext(bool forward) {
  ListView* list = listToSearch();
  return list && list->findNext(forward);
}

void Panel::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menuWanted(event->globalPos()); }

int Panel::find(const QString& text) {
  ListView* list = listToSearch();
  return list ? list->find(text) : -1;
}

}  // namespace rx::views
