// Pairs: panels of two stages beside each other.
#include <QDockWidget>
#include <algorithm>
#include <utility>

#include "views/panels/graph/graph_panel.h"
#include "views/shell/dock_area.h"
#include "views/shell/linked_panels.h"

namespace rx::views {
namespace {

const QString kGraph = QStringLiteral("graph"), kText = QStringLiteral("ir");

}  // namespace

void DockArea::standBeside(QDockWidget* left, QDockWidget* right) {
  bool tabbed = false;
  for (const QDockWidget* other : tabifiedDockWidgets(left)) tabbed |= other != right && !other->isHidden();
  // Beside one of several tabs nothing can stand: then both go to the end of the row.
  if (tabbed) {
    removeDockWidget(left);
    addDockWidget(Qt::LeftDockWidgetArea, left, Qt::Horizontal);
    left->show();
  }
  // Nor beside one whose hidden tabs Qt does not tell: they stand aside meanwhile.
  const auto own = std::ranges::find(slots_, left, &Slot::dock);
  QList<QDockWidget*> behind;
  for (const Slot& other : slots_)
    if (!tabbed && other.row->home() == own->row->home() && other.dock != right && other.dock->isHidden())
      behind << other.dock;
  // Added elsewhere, not removed: Qt keeps the place of what is removed, and with it the row of tabs.
  for (QDockWidget* other : behind) {
    addDockWidget(Qt::BottomDockWidgetArea, other);
    other->hide();
  }
  const int width = std::max(2, left->width());
  splitDockWidget(left, right, Qt::Horizontal);
  right->show();
  for (QDockWidget* other : behind) tabifyDockWidget(left, other);
  resizeDocks({left, right}, {width / 2, width / 2}, Qt::Horizontal);
}

bool DockArea::standInRow(const QStringList& ids) {
  if (ids.isEmpty() || !std::all_of(ids.begin(), ids.end(), [this](const QString& id) { return slot(id); }))
    return false;
  change([&] {
    QList<QDockWidget*> row;
    for (const QString& id : ids) row << slot(id)->dock;
    row.first()->show();
    for (qsizetype i = 1; i < row.size(); ++i) standBeside(row[i - 1], row[i]);
    // What is read beside each other gets most of the window.
    resizeDocks(row, QList<int>(row.size(), width() * 7 / 10 / static_cast<int>(row.size())), Qt::Horizontal);
  });
  return true;
}

void DockArea::pair(const QStringList& kinds, int left, int right) {
  delete pair_;
  change([&] {
    if (pairedCopies_.size() != kinds.size()) endPair();
    for (const QString& kind : kinds) {
      if (!copyOf(kind).isEmpty()) continue;
      int number = 2;
      const auto name = [&] { return QStringLiteral("%1.%2").arg(kind).arg(number); };
      while (slot(name())) ++number;
      addDock(*slot(kind)->row, name());
      pairedCopies_ << name();
      slot(kind)->dock->show();
      standBeside(slot(kind)->dock, slot(name())->dock);
    }
  });
  std::vector<LinkedPanels::Member> members;
  for (const QString& kind : kinds) {
    lock(kind, LockKind::Stage, left);
    lock(copyOf(kind), LockKind::Stage, right);
  }
  for (const QString& kind : kinds)
    for (const QString& id : {kind, copyOf(kind)}) members.push_back({panel(id), slot(id)->lock});
  pair_ = new LinkedPanels(context_.document, context_.selection, std::move(members), this);
}

QString DockArea::copyOf(const QString& kind) const {
  for (const QString& id : pairedCopies_)
    if (id.section('.', 0, 0) == kind) return id;
  return {};
}

void DockArea::pairGraphs(int left, int right) {
  pair({kGraph}, left, right);
  panel(kGraph)->command(QStringLiteral("compare"), {QString::number(right)});
  panel(copyOf(kGraph))->command(QStringLiteral("compare"), {QString::number(left)});
}

void DockArea::pairForms(int left, int right) {
  change([&] {
    endPair();
    for (const QString& id : ids())
      if (id.contains('.')) removeCopy(id);
    narrow_ = isNarrow();
    arrange(formsLayout(narrow_));
    QDockWidget* text = slot(kText)->dock;
    removeDockWidget(text);
    splitDockWidget(slot(kGraph)->dock, text, Qt::Vertical);
    text->show();
  });
  pair({kGraph, kText}, left, right);
  shareForms();
  showPanel(copyOf(kGraph));
}

/// Half of the width behind the first column each, and the graphs over more of the height than the texts.
void DockArea::shareForms() {
  change([this] {
    QDockWidget *graph = slot(kGraph)->dock, *text = slot(kText)->dock;
    QDockWidget *secondGraph = slot(copyOf(kGraph))->dock, *secondText = slot(copyOf(kText))->dock;
    QDockWidget* rest = slot(QStringLiteral("module"))->dock;
    const int first = rest->isHidden() ? 0 : width() / 5, half = (width() - first) / 2;
    if (first > 0) resizeDocks({rest}, {first}, Qt::Horizontal);
    resizeDocks({graph, secondGraph}, {half, half}, Qt::Horizontal);
    resizeDocks({text, secondText}, {half, half}, Qt::Horizontal);
    resizeDocks({graph, text}, {height() * 58 / 100, height() * 42 / 100}, Qt::Vertical);
  });
}

/// The first panels follow the window again; their copies go.
void DockArea::endPair() {
  if (pairedCopies_.isEmpty()) return;
  delete pair_;
  for (const QString& id : std::exchange(pairedCopies_, {})) {
    removeCopy(id);
    Slot* first = const_cast<Slot*>(slot(id.section('.', 0, 0)));
    if (!first || !first->lock) continue;
    PanelLock* old = first->lock;
    first->lock = nullptr;
    setPanel(*first);
    old->deleteLater();  // after the panel that looked at it
    Q_EMIT panelMade(first->panel);
  }
}

}  // namespace rx::views
