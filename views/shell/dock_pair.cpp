// The pair of graphs: two instances of the panel beside each other.
#include <QDockWidget>
#include <algorithm>

#include "views/panels/graph/graph_panel.h"
#include "views/shell/dock_area.h"
#include "views/shell/graph_pair.h"

namespace rx::views {
namespace {

const QString kGraph = QStringLiteral("graph");

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
  const int width = std::max(2, left->width());
  splitDockWidget(left, right, Qt::Horizontal);
  right->show();
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

QString DockArea::pairGraphs(int left, int right) {
  int number = 2;
  const auto name = [&] { return QStringLiteral("%1.%2").arg(kGraph).arg(number); };
  while (slot(name())) ++number;
  const QString second = pair_ ? pairCopy_ : name();
  if (pair_) {
    delete pair_;
  } else {
    change([&] {
      addDock(*slot(kGraph)->row, second);
      slot(kGraph)->dock->show();
      standBeside(slot(kGraph)->dock, slot(second)->dock);
    });
  }
  pairCopy_ = second;
  lock(kGraph, LockKind::Stage, left);
  lock(second, LockKind::Stage, right);
  const auto side = [this](const QString& id) {
    return GraphPair::Side{static_cast<GraphPanel*>(panel(id)), slot(id)->lock};
  };
  pair_ = new GraphPair(context_.document, context_.selection, side(kGraph), side(second), this);
  panel(kGraph)->command(QStringLiteral("compare"), {QString::number(right)});
  panel(second)->command(QStringLiteral("compare"), {QString::number(left)});
  return {};
}

/// The first graph follows the window again; the second one goes.
void DockArea::endPair() {
  delete pair_;
  Slot* first = const_cast<Slot*>(slot(kGraph));
  if (!first || !first->lock) return;
  PanelLock* old = first->lock;
  first->lock = nullptr;
  setPanel(*first);
  old->deleteLater();  // after the panel that looked at it
  Q_EMIT panelMade(first->panel);
}

}  // namespace rx::views
