// The watches as an item model, and how their errors are drawn at their place in the expression.
#pragma once

#include "views/models/debug_rows.h"
#include "views/models/row_model.h"
#include "views/panels/list_view.h"

namespace rx::views {

class WatchModel : public RowModel<WatchRow> {
 public:
  explicit WatchModel(QObject* parent = nullptr);
};

/// Underlines the part of an expression that is wrong.
class WatchDelegate : public CellDelegate {
 public:
  WatchDelegate(const WatchModel* model, QObject* parent) : CellDelegate(parent), model_(model) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const WatchModel* model_;
};

}  // namespace rx::views
