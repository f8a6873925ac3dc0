#include "views/models/row_model.h"

namespace rx::views {

QString modelText(const QAbstractItemModel& model, const std::function<QStringList(const QModelIndex&)>& more) {
  QStringList lines;
  struct Pending {
    QModelIndex parent;
    int row;
    int depth;
  };
  std::vector<Pending> stack{{QModelIndex(), 0, 0}};
  while (!stack.empty()) {
    Pending& top = stack.back();
    if (top.row >= model.rowCount(top.parent)) {
      stack.pop_back();
      continue;
    }
    const Pending at = top;
    ++top.row;
    QStringList cells;
    for (int column = 0; column < model.columnCount(at.parent); ++column) {
      cells << model.index(at.row, column, at.parent).data().toString();
    }
    const QModelIndex child = model.index(at.row, 0, at.parent);
    QStringList behind = more ? more(child) : QStringList();
    while (!behind.isEmpty() && behind.back().isEmpty()) behind.removeLast();
    cells += behind;
    lines << QString(at.depth * 2, ' ') + cells.join('\t');
    if (model.rowCount(child) > 0) stack.push_back({child, 0, at.depth + 1});
  }
  return lines.join('\n');
}

}  // namespace rx::views
