#include "views/panels/panel.h"

#include <QApplication>
#include <QContextMenuEvent>

#include "views/panels/list_view.h"

namespace rx::views {

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
