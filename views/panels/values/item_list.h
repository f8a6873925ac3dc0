// The items of a tuple, a row each: what an item is and, of a tensor, the range of its numbers. Enter goes in.
#pragma once

#include "views/models/debug_rows.h"
#include "views/models/stale_rows.h"
#include "views/panels/list_view.h"

namespace rx::views {

/// An item, by its number in the tuple.
struct ItemRow {
  int number = 0;
  ValueSummary value;
};

class ItemModel : public RowModel<ItemRow> {
 public:
  explicit ItemModel(QObject* parent = nullptr);
};

class ItemList : public ListView {
  Q_OBJECT

 public:
  explicit ItemList(QWidget* parent = nullptr);
  /// The items that are known of a value; those of a run that is past are grey.
  void setItems(const std::vector<ValueSummary>& items, bool past);
  QString dump() const { return modelText(*model_); }

 Q_SIGNALS:
  /// Enter or a double click on an item.
  void opened(int number);

 private:
  StaleRows<ItemModel>* model_;
};

}  // namespace rx::views
