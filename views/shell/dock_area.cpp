#include "views/shell/dock_area.h"

#include <QApplication>
#include <QDockWidget>
#include <QMouseEvent>
#include <QTabBar>
#include <QTimer>
#include <algorithm>
#include <tuple>

#include "views/shell/dock_title.h"
#include "views/shell/panel_table.h"

namespace rx::views {
namespace {

/// A built-in layout: which panels are seen, which lead their tabs, and how the width and height are shared (percent).
struct Layout {
  const char* name;
  const char* hidden;  // ids, separated by blanks
  const char* front;
  int left;
  int text;
  int graph;
  int right;
  int top;
};
constexpr Layout kLayouts[] = {
    {"Read", "bytecode stack breakpoints log timeline values", "module ir graph inspector problems", 18, 36, 26, 20,
     78},
    {"Passes", "bytecode stack breakpoints timeline values inspector", "passes diff problems", 24, 58, 18, 20, 78},
    {"Debug", "", "module passes ir graph bytecode inspector", 22, 37, 22, 19, 58},
};

QStringList words(const char* text) { return QString::fromLatin1(text).split(' ', Qt::SkipEmptyParts); }

}  // namespace

QStringList builtInLayouts() {
  QStringList names;
  for (const Layout& layout : kLayouts) names << QString::fromLatin1(layout.name);
  return names;
}

DockArea::DockArea(const PanelContext& context, QWidget* parent) : QMainWindow(parent) {
  setWindowFlags(Qt::Widget);
  setDockOptions(AllowTabbedDocks | AllowNestedDocks | AnimatedDocks | GroupedDragging);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setDocumentMode(true);
  // Without a central widget the text and the graph are docks as well. All stand in one area: several areas around a
  // missing middle share the width anew, and differently, whenever a title changes.
  for (const PanelRow& row : panelTable()) addDock(row, context);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (const Slot& slot : slots_) {
      if (now && slot.panel->isAncestorOf(now)) lastFocused_ = slot.panel;
    }
  });
  applyBuiltIn("Debug");
}

void DockArea::addDock(const PanelRow& row, const PanelContext& context) {
  const QString id = QString::fromLatin1(row.id);
  auto* dock = new QDockWidget(QString::fromUtf8(row.title), this);
  dock->setObjectName(id);
  auto* panel = row.make(context, dock);
  panel->setObjectName(id + "Panel");
  dock->setWidget(panel);
  dock->setTitleBarWidget(new DockTitle(dock));
  dock->setToolTip(QString::fromUtf8(row.help));
  slots_.push_back({&row, dock, panel});
  connect(panel, &Panel::titleChanged, dock, &QDockWidget::setWindowTitle);
  connect(panel, &Panel::message, this, &DockArea::message);
  connect(panel, &Panel::menuWanted, this,
          [this, panel](const QPoint& global) { Q_EMIT menuWanted(panel, global); });
  connect(panel, &Panel::settled, this, &DockArea::settled);
  const auto later = [this] { QTimer::singleShot(0, this, &DockArea::updateTitles); };
  connect(dock, &QDockWidget::visibilityChanged, this, later);
  connect(dock, &QDockWidget::dockLocationChanged, this, later);
  connect(dock, &QDockWidget::topLevelChanged, this, later);
  // A dock that was pulled out is the user's own arrangement from now on.
  connect(dock, &QDockWidget::topLevelChanged, this, [this](bool floating) {
    if (floating) builtIn_.clear();
  });
}

const DockArea::Slot* DockArea::slot(const QString& id) const {
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return id == QLatin1String(s.row->id); });
  return found == slots_.end() ? nullptr : &*found;
}

Panel* DockArea::panel(const QString& id) const {
  const Slot* found = slot(id);
  return found ? found->panel : nullptr;
}

QStringList DockArea::ids() const {
  QStringList ids;
  for (const Slot& slot : slots_) ids << QString::fromLatin1(slot.row->id);
  return ids;
}

QString DockArea::idOf(const Panel* panel) const {
  for (const Slot& slot : slots_) {
    if (slot.panel == panel) return QString::fromLatin1(slot.row->id);
  }
  return {};
}

QAction* DockArea::toggleAction(const QString& id) const {
  const Slot* found = slot(id);
  return found ? found->dock->toggleViewAction() : nullptr;
}

bool DockArea::showPanel(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return false;
  found->dock->show();
  found->dock->raise();
  found->panel->setFocus(Qt::OtherFocusReason);
  lastFocused_ = found->panel;
  return true;
}

bool DockArea::hidePanel(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return false;
  found->dock->hide();
  return true;
}

Panel* DockArea::focused() const {
  if (lastFocused_ && lastFocused_->isVisible()) return lastFocused_;
  if (Panel* text = panel("ir"); text && text->isVisible()) return text;
  for (const Slot& slot : slots_) {
    if (slot.panel->isVisible()) return slot.panel;
  }
  return nullptr;
}

void DockArea::focusNext(bool forward) {
  std::vector<const Slot*> open;
  for (const Slot& slot : slots_) {
    if (!slot.dock->isHidden()) open.push_back(&slot);
  }
  if (open.empty()) return;
  const Panel* now = focused();
  const auto at = std::find_if(open.begin(), open.end(), [now](const Slot* s) { return s->panel == now; });
  const size_t index = at == open.end() ? 0 : static_cast<size_t>(at - open.begin());
  const size_t next = (index + (forward ? 1 : open.size() - 1)) % open.size();
  showPanel(QString::fromLatin1(open[next]->row->id));
}

void DockArea::arrangeAll() {
  std::map<PanelArea, QDockWidget*> first;
  for (const Slot& slot : slots_) removeDockWidget(slot.dock);
  // Leaders first, split before anything is tabbed: splitting a tabbed dock would only add a tab.
  for (const Slot& slot : slots_) {
    slot.dock->setFloating(false);
    QDockWidget*& leader = first[slot.row->area];
    if (!leader) leader = slot.dock;
  }
  addDockWidget(Qt::LeftDockWidgetArea, first[PanelArea::LeftTop]);
  // The columns first, then what stands in each of them.
  const std::tuple<PanelArea, PanelArea, Qt::Orientation> splits[] = {
      {PanelArea::LeftTop, PanelArea::Center, Qt::Horizontal},
      {PanelArea::Center, PanelArea::Right, Qt::Horizontal},
      {PanelArea::LeftTop, PanelArea::LeftBottom, Qt::Vertical},
      {PanelArea::Center, PanelArea::Bottom, Qt::Vertical},
      {PanelArea::Bottom, PanelArea::Strip, Qt::Vertical},
      {PanelArea::Center, PanelArea::CenterRight, Qt::Horizontal},
  };
  for (const auto& [from, to, orientation] : splits) splitDockWidget(first[from], first[to], orientation);
  for (const auto& [where, leader] : first) leader->show();
  for (const Slot& slot : slots_) {
    QDockWidget* leader = first[slot.row->area];
    if (leader == slot.dock) continue;
    tabifyDockWidget(leader, slot.dock);
    slot.dock->show();
  }
}

bool DockArea::applyBuiltIn(const QString& name) {
  const auto layout = std::find_if(std::begin(kLayouts), std::end(kLayouts), [&](const Layout& l) {
    return name.compare(QLatin1String(l.name), Qt::CaseInsensitive) == 0;
  });
  if (layout == std::end(kLayouts)) return false;
  arrangeAll();
  for (const QString& id : words(layout->hidden)) hidePanel(id);
  for (const QString& id : words(layout->front)) {
    if (const Slot* found = slot(id)) found->dock->raise();
  }
  builtIn_ = QString::fromLatin1(layout->name);
  shareSizes();
  updateTitles();
  return true;
}

bool DockArea::restoreLayout(const QByteArray& state, int version) {
  if (!restoreState(state, version)) return false;
  builtIn_.clear();
  updateTitles();
  return true;
}

void DockArea::shareSizes() {
  const auto layout = std::find_if(std::begin(kLayouts), std::end(kLayouts),
                                   [&](const Layout& l) { return builtIn_ == QLatin1String(l.name); });
  if (layout == std::end(kLayouts)) return;
  struct Share {
    PanelArea area;
    int percent;
  };
  const auto apply = [this](std::initializer_list<Share> shares, Qt::Orientation orientation, int whole) {
    QList<QDockWidget*> docks;
    QList<int> sizes;
    int sum = 0;
    for (const Share& share : shares) {
      QDockWidget* dock = shownIn(share.area);
      if (!dock) continue;
      docks.append(dock);
      sizes.append(share.percent);
      sum += share.percent;
    }
    // What hidden docks would take goes to the others in proportion.
    for (int& size : sizes) size = std::max(1, whole * size / sum);
    resizeDocks(docks, sizes, orientation);
    return sum;
  };
  const int middle = layout->text + layout->graph;
  // The middle column is known by what stands below, which is not split again.
  const int sum =
      apply({{PanelArea::LeftTop, layout->left}, {PanelArea::Bottom, middle}, {PanelArea::Right, layout->right}},
            Qt::Horizontal, width());
  apply({{PanelArea::Center, layout->text}, {PanelArea::CenterRight, layout->graph}}, Qt::Horizontal,
        width() * middle / std::max(1, sum));
  constexpr int kStrip = 6;
  apply({{PanelArea::Center, layout->top}, {PanelArea::Bottom, 100 - layout->top - kStrip}, {PanelArea::Strip, kStrip}},
        Qt::Vertical, height());
  apply({{PanelArea::LeftTop, 42}, {PanelArea::LeftBottom, 58}}, Qt::Vertical, height());
}

QDockWidget* DockArea::shownIn(PanelArea area) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [area](const Slot& slot) {
    return slot.row->area == area && !slot.dock->isHidden() && !slot.dock->isFloating();
  });
  return found == slots_.end() ? nullptr : found->dock;
}

QRect DockArea::middle() const {
  QRect middle;
  for (PanelArea area : {PanelArea::Center, PanelArea::CenterRight, PanelArea::Bottom}) {
    for (const Slot& slot : slots_) {
      if (slot.row->area == area && slot.panel->isVisible() && !slot.dock->isFloating())
        middle |= slot.dock->geometry();
    }
  }
  return middle.isValid() ? middle : rect();
}

QRect DockArea::besideText() const {
  const Slot* text = slot("ir");
  if (!text->panel->isVisible() || text->dock->isFloating()) return rect();
  const QRect beside = rect().adjusted(text->dock->geometry().right() + 1, 0, 0, 0);
  const int least = fontMetrics().averageCharWidth() * 60;
  return beside.width() < least ? rect().adjusted(std::max(0, width() - least), 0, 0, 0) : beside;
}

void DockArea::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  shareSizes();
}

bool DockArea::event(QEvent* event) {
  // A press that reaches the area itself is on a separator: from now on the sizes are the user's.
  if (event->type() == QEvent::MouseButtonPress) builtIn_.clear();
  return QMainWindow::event(event);
}

void DockArea::updateTitles() {
  for (const Slot& slot : slots_) {
    bool tabbed = false;
    for (const QDockWidget* other : tabifiedDockWidgets(slot.dock)) tabbed = tabbed || !other->isHidden();
    static_cast<DockTitle*>(slot.dock->titleBarWidget())->setTabbed(tabbed && !slot.dock->isFloating());
  }
  for (QTabBar* bar : findChildren<QTabBar*>()) {
    bar->setElideMode(Qt::ElideNone);
    bar->setExpanding(false);
    bar->setDrawBase(false);
    bar->removeEventFilter(this);
    bar->installEventFilter(this);
  }
}

void DockArea::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateTitles();
}

bool DockArea::eventFilter(QObject* watched, QEvent* event) {
  auto* bar = qobject_cast<QTabBar*>(watched);
  if (!bar || event->type() != QEvent::MouseButtonRelease) return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  if (mouse->button() != Qt::MiddleButton) return false;
  const QString title = bar->tabText(bar->tabAt(mouse->pos()));
  for (const Slot& slot : slots_) {
    if (slot.dock->windowTitle() == title) slot.dock->hide();
  }
  return true;
}

}  // namespace rx::views
