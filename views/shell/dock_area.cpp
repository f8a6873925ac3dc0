#include "views/shell/dock_area.h"

#include <QApplication>
#include <QDataStream>
#include <QDockWidget>
#include <QEvent>
#include <QIODevice>
#include <QLayout>
#include <QTabWidget>
#include <algorithm>
#include <map>
#include <utility>

#include "views/shell/dock_tabs.h"
#include "views/shell/dock_title.h"
#include "views/shell/focus_keeper.h"
#include "views/shell/linked_panels.h"
#include "views/shell/panel_table.h"

namespace rx::views {
namespace {

constexpr int kStateVersion = 2;

/// "graph" of "graph.2".
QString tableId(const QString& id) { return id.section('.', 0, 0); }

const PanelRow* tableRow(const QString& id) {
  const auto rows = panelTable();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const PanelRow& r) { return id == QLatin1String(r.id); });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

DockArea::DockArea(const PanelContext& context, QWidget* parent)
    : QMainWindow(parent), context_(context), tabs_(new DockTabs(this)), refreshes_(new RefreshQueue(this)) {
  setWindowFlags(Qt::Widget);
  stripsSoon_.setSingleShot(true);
  connect(&stripsSoon_, &QTimer::timeout, this, &DockArea::updateStrips);
  setDockOptions(AllowTabbedDocks | AllowNestedDocks | GroupedDragging);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setDocumentMode(true);
  // Without a central widget the text and the graph are docks as well. All stand in one area: several areas around a
  // missing middle share the width anew, and differently, whenever a title changes.
  for (const PanelRow& row : panelTable()) addDock(row, QString::fromLatin1(row.id));
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (const Slot& slot : slots_) {
      if (now && slot.panel->isAncestorOf(now)) return remember(slot.panel), updateStrips();
    }
    updateStrips();
  });
  const auto asPanel = [this](QDockWidget* dock, void (DockArea::*signal)(Panel*, const QPoint&), const QPoint& at) {
    if (const Slot* found = slot(dock)) Q_EMIT(this->*signal)(found->panel, at);
  };
  connect(tabs_, &DockTabs::menuWanted, this,
          [=](QDockWidget* dock, const QPoint& at) { asPanel(dock, &DockArea::tabMenuWanted, at); });
  connect(tabs_, &DockTabs::closeWanted, this, [this](QDockWidget* dock) { hidePanel(dock->objectName()); });
  connect(tabs_, &DockTabs::floatWanted, this, [this](QDockWidget* dock) { floatPanel(dock->objectName()); });
}

void DockArea::remember(Panel* panel) {
  lastFocused_ = panel;
  const QString id = idOf(panel);
  lastOfKind_[tableId(id)] = id;
}

DockArea::~DockArea() {
  // The docks go after this, and the focus with them.
  disconnect(qApp, nullptr, this, nullptr);
  for (const Slot& slot : slots_) disconnect(slot.dock, nullptr, this, nullptr);
}

/// " (2)" of the second panel of its kind.
static QString numberOfCopy(const QString& id) {
  return id.contains('.') ? QStringLiteral(" (%1)").arg(id.section('.', 1)) : QString();
}

DockArea::Slot& DockArea::addDock(const PanelRow& row, const QString& id) {
  auto* dock = new QDockWidget(QString::fromUtf8(row.title), this);
  dock->setObjectName(id);
  dock->setToolTip(QString::fromUtf8(row.help));
  dock->setProperty(DockTabs::kBrief, QString::fromUtf8(row.title) + numberOfCopy(id));
  auto* title = new DockTitle(dock);
  dock->setTitleBarWidget(title);
  connect(title->buttons(), &DockButtons::floatWanted, this, [this, id] { floatPanel(id); });
  connect(title->buttons(), &DockButtons::closeWanted, this, [this, id] { hidePanel(id); });
  const Slot* first = slot(QString::fromLatin1(row.id));  // of which this may be a copy
  slots_.push_back({&row, id, dock, nullptr, nullptr, first ? first->title : QString::fromUtf8(row.title)});
  setPanel(slots_.back());
  connect(dock, &QDockWidget::visibilityChanged, &stripsSoon_, qOverload<>(&QTimer::start));
  // What the user pulls out or puts elsewhere is an arrangement of their own from now on.
  const auto moved = [this] {
    if (arranging_) return;
    follows_ = false;
    QTimer::singleShot(0, this, [this] {
      history_.note(arrangement());
      updateStrips();
      Q_EMIT layoutChanged();
    });
  };
  connect(dock, &QDockWidget::dockLocationChanged, this, moved);
  connect(dock, &QDockWidget::topLevelChanged, this, moved);
  return slots_.back();
}

void DockArea::setPanel(Slot& slot) {
  PanelContext context = context_;
  if (slot.lock) context.selection = slot.lock->selection();
  Panel* old = slot.panel;
  Panel* panel = slot.row->make(context, slot.dock);
  panel->setObjectName(slot.id + "Panel");
  slot.panel = panel;
  panel->setQueue(refreshes_);
  slot.dock->setWidget(panel);
  if (lastFocused_ == old) lastFocused_ = panel;
  panel->show();  // a visible dock does not show its new content by itself
  if (old) {
    old->hide();
    old->deleteLater();
  }
  connect(panel, &Panel::titleChanged, this, [this, panel](const QString& title) {
    Slot* found = this->slot(panel);
    if (!found || found->title == title) return;
    found->title = title;
    showTitle(*found);
  });
  connect(panel, &Panel::message, this, &DockArea::message);
  connect(panel, &Panel::settled, this, &DockArea::settled);
  connect(panel, &Panel::menuWanted, this, [this, panel](const QPoint& global) { Q_EMIT menuWanted(panel, global); });
  showTitle(slot);
}

void DockArea::showTitle(const Slot& slot) {
  QString title = slot.title + numberOfCopy(slot.id);
  if (slot.lock) title = tr("%1, pinned to %2").arg(title, slot.lock->label());
  slot.dock->setProperty(DockTabs::kPinned, slot.lock != nullptr);
  slot.dock->setProperty(DockTabs::kTitle, title);
  // One whose tab has room for its name alone keeps that until all have been measured again.
  if (slot.dock->windowTitle() != slot.dock->property(DockTabs::kBrief).toString()) slot.dock->setWindowTitle(title);
  stripsSoon_.start();
}

const DockArea::Slot* DockArea::slot(const QString& id) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.id == id; });
  return found == slots_.end() ? nullptr : &*found;
}

DockArea::Slot* DockArea::slot(const QObject* thing) {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [thing](const Slot& s) { return s.dock == thing || s.panel == thing; });
  return found == slots_.end() ? nullptr : &*found;
}

Panel* DockArea::panel(const QString& id) const {
  const Slot* found = slot(id);
  return found ? found->panel : nullptr;
}

QStringList DockArea::ids() const {
  QStringList ids;
  for (const Slot& slot : slots_) ids << slot.id;
  return ids;
}

QString DockArea::idOf(const Panel* panel) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [panel](const Slot& s) { return s.panel == panel; });
  return found == slots_.end() ? QString() : found->id;
}

const PanelLock* DockArea::lockOf(const Panel* panel) const {
  const Slot* found = slot(idOf(panel));
  return found ? found->lock : nullptr;
}

QAction* DockArea::toggleAction(const QString& id) const {
  const Slot* found = slot(id);
  return found ? found->dock->toggleViewAction() : nullptr;
}

bool DockArea::showPassing(const QString& id) {
  const Slot* found = slot(id);
  const QString known = passing_.value(id);
  const QDockWidget* front = found ? tabs_->frontOf(found->dock) : nullptr;
  // A hidden dock is no tab, but those that are seen know it; one that is seen alone has no tabs.
  for (const Slot& other : slots_) {
    if (front || !found || other.dock->isHidden() || !tabifiedDockWidgets(other.dock).contains(found->dock)) continue;
    front = tabs_->frontOf(other.dock);
    if (!front) front = other.dock;
  }
  if (!showPanel(id)) return false;
  for (const Slot& other : slots_)
    if (other.dock == front && front != found->dock) passing_[id] = idOf(other.panel);
  if (front == found->dock && !known.isEmpty()) passing_[id] = known;
  return true;
}

void DockArea::lowerPassing() {
  const QMap<QString, QString> passing = std::exchange(passing_, {});
  for (auto it = passing.begin(); it != passing.end(); ++it) {
    const Slot* raised = slot(it.key());
    const Slot* before = slot(it.value());
    if (!raised || !before || before->dock->isHidden() || tabs_->frontOf(before->dock) != raised->dock) continue;
    before->dock->raise();
    updateStrips();
  }
}

bool DockArea::showPanel(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return false;
  passing_.remove(id);
  if (found->dock->isHidden()) {
    change([found] { found->dock->show(); }, true);
  }
  found->dock->raise();
  giveFocus(found->panel);
  remember(found->panel);
  updateStrips();
  return true;
}

bool DockArea::hidePanel(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return false;
  change(
      [this, found, id] {
        if (id.contains('.')) return removeCopy(id);
        found->dock->hide();
      },
      true);
  return true;
}

void DockArea::removeCopy(const QString& id) {
  if (pairedCopies_.contains(id)) return endPair();
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.id == id; });
  if (found == slots_.end()) return;
  if (lastFocused_ == found->panel) lastFocused_ = nullptr;
  // The focus would go to whatever comes next in the window: it stays with what the panel is a copy of.
  const bool focused = found->panel->isAncestorOf(QApplication::focusWidget());
  Panel* first = focused ? panel(tableId(id)) : nullptr;
  removeDockWidget(found->dock);
  found->dock->deleteLater();
  // A dock that is restored under this name is another one.
  found->dock->setObjectName({});
  found->dock->setParent(nullptr);
  if (found->lock) found->lock->deleteLater();  // after the panel that looks at it
  slots_.erase(found);
  if (first) giveFocus(first);
}

bool DockArea::hideOthers(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return false;
  QStringList others;
  for (const QDockWidget* other : tabifiedDockWidgets(found->dock))
    if (!other->isHidden()) others << other->objectName();
  for (const QString& other : others) hidePanel(other);
  return true;
}

bool DockArea::floatPanel(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return false;
  change([found] {
    found->dock->show();
    found->dock->setFloating(!found->dock->isFloating());
  });
  return true;
}

QString DockArea::duplicate(const QString& id) {
  const Slot* found = slot(id);
  if (!found) return {};
  const PanelRow& row = *found->row;
  QDockWidget* beside = found->dock;
  int number = 2;
  const auto name = [&] { return QStringLiteral("%1.%2").arg(QLatin1String(row.id)).arg(number); };
  while (slot(name())) ++number;
  const QString made = name();
  change([&] {
    const Slot& copy = addDock(row, made);
    beside->show();
    tabifyDockWidget(beside, copy.dock);
    copy.dock->show();
    copy.dock->raise();
  });
  Q_EMIT panelMade(panel(made));
  showPanel(made);
  return made;
}

bool DockArea::lock(const QString& id, LockKind kind, int stage) {
  Slot* found = const_cast<Slot*>(slot(id));
  if (!found || (kind == LockKind::None && !found->lock)) return false;
  PanelLock* old = found->lock;
  found->lock = kind == LockKind::None ? nullptr : new PanelLock(context_.selection, kind, this, stage);
  setPanel(*found);
  if (old) old->deleteLater();  // after the panel that looked at it
  Q_EMIT panelMade(found->panel);
  return showPanel(id);
}

QString DockArea::panelShowing(const QString& id, const Place& place) const {
  QString best;
  std::pair<int, bool> most{-1, false};
  for (const Slot& slot : slots_) {
    if (id != QLatin1String(slot.row->id)) continue;
    const int closeness = slot.lock ? slot.lock->closeness(place) : 0;
    if (slot.lock && closeness == 0) continue;
    const std::pair here{closeness, !slot.panel->visibleRegion().isEmpty()};
    if (here <= most) continue;
    best = slot.id;
    most = here;
  }
  return best;
}

bool DockArea::movePanel(const QString& id, PanelArea area) {
  const Slot* found = slot(id);
  QDockWidget* there = nullptr;
  for (const Slot& slot : slots_) {
    const bool stands = slot.row->home() == area && !slot.dock->isHidden() && !slot.dock->isFloating();
    if (!there && stands && &slot != found) there = slot.dock;
  }
  if (!found || !there) return false;
  change([&] {
    found->dock->setFloating(false);
    tabifyDockWidget(there, found->dock);
    found->dock->show();
    found->dock->raise();
  });
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

Panel* DockArea::current(const QString& id) const {
  Panel* last = panel(lastOfKind_.value(id));
  return last && last->isVisible() ? last : panel(id);
}

void DockArea::focusNext(bool forward) {
  QStringList open;
  for (const Slot& slot : slots_) {
    if (!slot.dock->isHidden()) open << slot.id;
  }
  if (open.isEmpty()) return;
  const qsizetype now = std::max<qsizetype>(0, open.indexOf(idOf(focused())));
  showPanel(open[(now + (forward ? 1 : open.size() - 1)) % open.size()]);
}

void DockArea::change(const std::function<void()>& deed, bool keepsShares) {
  const bool inner = arranging_;
  if (!inner) history_.renew(arrangement());
  arranging_ = true;
  follows_ = follows_ && keepsShares;
  deed();
  arranging_ = inner;
  if (inner) return;
  shareSizes();
  history_.note(arrangement());
  updateStrips();
  Q_EMIT layoutChanged();
}

void DockArea::arrange(const Layout& layout) {
  std::vector<QDockWidget*> leaders(layout.cells.size(), nullptr);
  for (const Slot& slot : slots_) {
    if (slot.dock->isFloating()) slot.dock->setFloating(false);
    removeDockWidget(slot.dock);
    if (QDockWidget*& leader = leaders[cellOf(layout, *slot.row)]; !leader) leader = slot.dock;
  }
  for (size_t i = 0; i < leaders.size(); ++i) {
    const LayoutCell& cell = layout.cells[i];
    if (cell.from < 0) {
      addDockWidget(Qt::LeftDockWidgetArea, leaders[i]);
    } else {
      splitDockWidget(leaders[static_cast<size_t>(cell.from)], leaders[i], cell.way);
    }
    leaders[i]->show();
  }
  for (const Slot& slot : slots_) {
    QDockWidget* leader = leaders[cellOf(layout, *slot.row)];
    if (leader == slot.dock) continue;
    tabifyDockWidget(leader, slot.dock);
    slot.dock->show();
  }
  for (const Slot& slot : slots_)
    if (slot.row->in(layout.form).seen == PanelSeen::Hidden) slot.dock->hide();
  this->layout()->activate();  // Qt gives the last of several docks its tab only now: without one it is not raised
  for (const Slot& slot : slots_)
    if (slot.row->in(layout.form).seen == PanelSeen::Front) slot.dock->raise();
}

bool DockArea::applyBuiltIn(const QString& name) {
  const Layout* layout = builtInLayout(name, isNarrow());
  if (!layout) return false;
  narrow_ = isNarrow();
  // Of docks that are seen each one that moves would have all laid out anew, with those in front shown by turns: hidden
  // together they are laid out once, and shown where they stand in the end.
  const FocusKeeper keeper;
  const bool seen = isVisible();
  setUpdatesEnabled(false);
  if (seen) hide();
  change([&] {
    for (const QString& id : ids())
      if (id.contains('.')) removeCopy(id);
    arrange(*layout);
    layout_ = QString::fromLatin1(layout->name);
    follows_ = true;
    this->layout()->activate();  // lengths are shared of what there is by now
  });
  this->layout()->activate();
  sizeBehind();
  if (seen) show();
  setUpdatesEnabled(true);
  return true;
}

void DockArea::sizeBehind() {
  constexpr int kAway = -500;  // where Qt keeps what is behind
  for (const Slot& slot : slots_) {
    QDockWidget* dock = slot.dock;
    const auto isFront = [this](const QDockWidget* other) {
      return !other->isHidden() && !other->isFloating() && rect().contains(other->geometry().topLeft());
    };
    if (dock->isFloating() || isFront(dock)) continue;
    const QList<QDockWidget*> others = tabifiedDockWidgets(dock);
    const auto front = std::find_if(others.begin(), others.end(), isFront);
    if (front == others.end()) continue;
    QRect place((*front)->geometry());
    place.moveBottomRight({kAway, kAway});
    dock->setGeometry(place);
  }
}

bool DockArea::isNarrow() const {
  constexpr int kLetters = 190;
  return width() < kLetters * fontMetrics().averageCharWidth();
}

QByteArray DockArea::arrangement() const {
  QStringList copies;
  for (const Slot& slot : slots_)
    if (slot.id.contains('.')) copies << slot.id;
  QByteArray bytes;
  QDataStream out(&bytes, QIODevice::WriteOnly);
  out << kStateVersion << layout_ << follows_ << copies << saveState(kStateVersion);
  return bytes;
}

bool DockArea::restoreArrangement(const QByteArray& bytes, const QString& name) {
  QDataStream in(bytes);
  int version = 0;
  QString layout;
  bool follows = false;
  QStringList copies;
  QByteArray state;
  in >> version >> layout >> follows >> copies >> state;
  if (in.status() != QDataStream::Ok || version != kStateVersion) return false;
  bool done = false;
  change([&] {
    for (const QString& id : ids())
      if (id.contains('.') && !copies.contains(id)) removeCopy(id);
    for (const QString& id : copies) {
      const PanelRow* row = tableRow(tableId(id));
      if (!row || slot(id)) continue;
      addDock(*row, id);
      Q_EMIT panelMade(panel(id));
    }
    done = restoreState(state, kStateVersion);
    layout_ = name.isEmpty() ? layout : name;
    follows_ = done && follows && builtInLayout(layout_, false);
    narrow_ = isNarrow();
  });
  return done;
}

void DockArea::undoLayout() {
  if (!canUndo()) return;
  LayoutHistory kept = history_;
  const QByteArray state = kept.undo();
  restoreArrangement(state, {});
  history_ = std::move(kept);
}

void DockArea::redoLayout() {
  if (!canRedo()) return;
  LayoutHistory kept = history_;
  const QByteArray state = kept.redo();
  restoreArrangement(state, {});
  history_ = std::move(kept);
}

void DockArea::shareSizes() {
  const Layout* layout = builtInLayout(layout_, narrow_);
  if (!layout || !follows_) return;
  std::map<std::pair<Qt::Orientation, int>, int> lengths;  // what places got so far
  for (const LayoutShare& share : layout->shares) {
    const int window = share.way == Qt::Horizontal ? width() : height();
    const auto outer = lengths.find({share.way, share.inside});
    const int whole = outer == lengths.end() ? window : outer->second;
    QList<QDockWidget*> docks;
    QList<int> sizes;
    std::vector<const LayoutShare::Part*> parts;
    int sum = 0;
    for (const LayoutShare::Part& part : share.parts) {
      QDockWidget* dock = part.cell < 0 ? nullptr : shownIn(*layout, static_cast<size_t>(part.cell));
      if (!dock) continue;
      docks.append(dock);
      parts.push_back(&part);
      sum += part.percent;
    }
    // What hidden docks would take goes to the others in proportion.
    for (const LayoutShare::Part* part : parts) {
      sizes.append(std::max(1, whole * part->percent / sum));
      lengths[{share.way, part->cell}] = sizes.last();
    }
    if (!docks.isEmpty()) resizeDocks(docks, sizes, share.way);
  }
}

QDockWidget* DockArea::shownIn(const Layout& layout, size_t cell) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return cellOf(layout, *slot.row) == cell && !slot.dock->isHidden() && !slot.dock->isFloating();
  });
  return found == slots_.end() ? nullptr : found->dock;
}

QRect DockArea::middle() const {
  QRect middle;
  for (PanelArea area : {PanelArea::Center, PanelArea::CenterRight, PanelArea::Bottom}) {
    for (const Slot& slot : slots_) {
      // A dock that has just been raised out of its tabs stands far outside until it is laid out.
      const QRect place = slot.dock->geometry();
      if (slot.row->home() == area && slot.panel->isVisible() && !slot.dock->isFloating() && rect().contains(place))
        middle |= place;
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
  if (follows_ && narrow_ != isNarrow()) {
    const LayoutHistory kept = history_;  // no change of the user's
    applyBuiltIn(layout_);
    history_ = kept;
    return;
  }
  shareSizes();
}

bool DockArea::event(QEvent* event) {
  // A press that reaches the area itself is on a separator: from now on the sizes are the user's.
  if (event->type() == QEvent::MouseButtonPress) follows_ = false;
  if (event->type() == QEvent::MouseButtonRelease) history_.note(arrangement());
  return QMainWindow::event(event);
}

void DockArea::updateStrips() {
  const Slot* focused = slot(idOf(this->focused()));
  for (const Slot& slot : slots_) {
    bool tabbed = false;
    for (const QDockWidget* other : tabifiedDockWidgets(slot.dock)) tabbed = tabbed || !other->isHidden();
    auto* title = static_cast<DockTitle*>(slot.dock->titleBarWidget());
    // The strip under everything is a line of its own; its menu closes it.
    const bool bare = tabbed || slot.row->home() == PanelArea::Strip;
    title->setTabbed(bare && !slot.dock->isFloating());
    if (!tabbed || slot.dock->isFloating()) slot.dock->setWindowTitle(slot.dock->property(DockTabs::kTitle).toString());
    title->setFocused(&slot == focused);
  }
  tabs_->update(focused ? focused->dock : nullptr);
}

void DockArea::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) updateStrips();
}

}  // namespace rx::views
