#include "views/shell/dock_tabs.h"

#include <QContextMenuEvent>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QMouseEvent>
#include <QStyle>
#include <QTabBar>
#include <algorithm>

#include "views/shell/dock_title.h"
#include "views/theme/icons.h"

namespace rx::views {

DockTabs::DockTabs(QMainWindow* area) : QObject(area), area_(area) {}

QDockWidget* DockTabs::dockAt(const QTabBar* bar, int tab) const {
  // Qt keeps the address of the dock as the data of its tab.
  const auto address = bar->tabData(tab).toULongLong();
  for (QDockWidget* dock : area_->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (reinterpret_cast<quintptr>(dock) == address) return dock;
  }
  return nullptr;
}

void DockTabs::adopt(QTabBar* bar) {
  bar->setElideMode(Qt::ElideRight);  // before tabs have to be scrolled to
  bar->setExpanding(false);
  bar->setDrawBase(false);
  bar->setAccessibleName(tr("Panels of this place"));
  bar->setFocusPolicy(Qt::NoFocus);  // Ctrl+Tab goes from panel to panel
  bar->installEventFilter(this);
  auto* buttons = new DockButtons(area_);
  connect(buttons, &DockButtons::floatWanted, this, &DockTabs::floatWanted);
  connect(buttons, &DockButtons::closeWanted, this, &DockTabs::closeWanted);
  connect(bar, &QTabBar::currentChanged, this, [this, bar] {
    for (const Strip& strip : strips_)
      if (strip.bar == bar) place(strip);
  });
  strips_.push_back({bar, buttons});
}

void DockTabs::update(const QDockWidget* focused) {
  std::erase_if(strips_, [](const Strip& strip) {
    if (!strip.bar) strip.buttons->deleteLater();
    return !strip.bar;
  });
  for (QTabBar* bar : area_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    const bool known = std::any_of(strips_.begin(), strips_.end(), [bar](const Strip& s) { return s.bar == bar; });
    if (!known) adopt(bar);
  }
  for (const Strip& strip : strips_) {
    const QDockWidget* current = dockAt(strip.bar, strip.bar->currentIndex());
    const bool elsewhere = !current || current != focused;
    if (strip.bar->property("elsewhere") != elsewhere) {
      strip.bar->setProperty("elsewhere", elsewhere);
      strip.bar->update();
    }
    showPins(strip.bar);
    place(strip);
  }
}

QDockWidget* DockTabs::frontOf(const QDockWidget* dock) const {
  for (const QTabBar* bar : area_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    for (int tab = 0; tab < bar->count(); ++tab)
      if (dockAt(bar, tab) == dock) return dockAt(bar, bar->currentIndex());
  return nullptr;
}

void DockTabs::showPins(QTabBar* bar) const {
  const QIcon pin = icon("pin", Palette::forQt(bar->palette()).accent);
  for (int tab = 0; tab < bar->count(); ++tab) {
    const QDockWidget* dock = dockAt(bar, tab);
    const bool pinned = dock && dock->property(kPinned).toBool();
    if (pinned || !bar->tabIcon(tab).isNull()) bar->setTabIcon(tab, pinned ? pin : QIcon());
  }
}

/// Qt keeps the text of a tab as the title of its dock says, so that is what is set.
void DockTabs::nameTabs(QTabBar* bar, int room) const {
  const QFontMetrics metrics(bar->font());
  const int space = bar->style()->pixelMetric(QStyle::PM_TabBarTabHSpace, nullptr, bar);
  const int front = bar->currentIndex();
  struct Name {
    QDockWidget* dock;
    QString title, brief;
  };
  std::vector<Name> names;
  int wide = 0, others = 0;  // all titles; what the strip takes without the title in front
  for (int tab = 0; tab < bar->count(); ++tab) {
    Name& name = names.emplace_back(Name{dockAt(bar, tab), {}, {}});
    const int icon = bar->tabIcon(tab).isNull() ? 0 : bar->iconSize().width() + space / 2;
    wide += icon, others += icon;
    if (!name.dock) continue;
    name.title = name.dock->property(kTitle).toString();
    name.brief = name.dock->property(kBrief).toString();
    if (name.brief.isEmpty()) name.brief = name.title;
    wide += metrics.horizontalAdvance(name.title) + space;
    others += (tab == front ? 0 : metrics.horizontalAdvance(name.brief)) + space;
  }
  for (size_t tab = 0; tab < names.size(); ++tab) {
    const auto& [dock, title, brief] = names[tab];
    if (!dock) continue;
    // In front stands as much of the title as the names of the others leave room for.
    const int left = std::max(room - others, metrics.horizontalAdvance(brief));
    const bool first = static_cast<int>(tab) == front;
    dock->setWindowTitle(wide <= room ? title : first ? metrics.elidedText(title, Qt::ElideRight, left) : brief);
    if (static_cast<int>(tab) < bar->count()) bar->setTabToolTip(static_cast<int>(tab), title);
  }
}

void DockTabs::place(const Strip& strip) {
  QTabBar* bar = strip.bar;
  QDockWidget* dock = bar && bar->isVisible() ? dockAt(bar, bar->currentIndex()) : nullptr;
  if (!dock || dock->isFloating()) return strip.buttons->hide();
  strip.buttons->setDock(dock);
  const QRect room = dock->geometry();
  const int wide = strip.buttons->sizeHint().width();
  bar->setMaximumWidth(std::max(1, room.width() - wide));
  nameTabs(bar, bar->maximumWidth());
  strip.buttons->setGeometry(room.right() + 1 - wide, bar->y(), wide, bar->height());
  strip.buttons->show();
  strip.buttons->raise();
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event) {
  auto* bar = qobject_cast<QTabBar*>(watched);
  if (!bar) return false;
  switch (event->type()) {
    case QEvent::MouseButtonRelease: {
      const auto* mouse = static_cast<QMouseEvent*>(event);
      QDockWidget* dock = dockAt(bar, bar->tabAt(mouse->pos()));
      if (mouse->button() != Qt::MiddleButton || !dock) return false;
      Q_EMIT closeWanted(dock);
      return true;
    }
    case QEvent::ContextMenu: {
      const auto* menu = static_cast<QContextMenuEvent*>(event);
      QDockWidget* dock = dockAt(bar, bar->tabAt(menu->pos()));
      if (dock) Q_EMIT menuWanted(dock, menu->globalPos());
      return true;
    }
    case QEvent::PaletteChange:
      showPins(bar);
      return false;
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::Show:
    case QEvent::Hide:
      for (const Strip& strip : strips_)
        if (strip.bar == bar) place(strip);
      return false;
    default:
      return false;
  }
}

}  // namespace rx::views
