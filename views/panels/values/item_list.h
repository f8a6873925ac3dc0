// The items of a tuple, a row each: what an item is and, of a tensor, the range of its numbers. Enter goes in. A value
// comes with its first items; others are asked for when they come into sight.
#pragma once

#include <QTimer>
#include <vector>

#include "views/models/debug_rows.h"
#include "views/models/stale_rows.h"
#include "views/panels/list_view.h"

namespace rx::views {

/// An item, by its number in the tuple.
struct ItemRow {
  int number = 0;
  ValueSummary value;
  bool there = true;  // else its value is asked for when the row comes into sight
};

class ItemModel : public RowModel<ItemRow> {
 public:
  explicit ItemModel(QObject* parent = nullptr);
};

class ItemList : public ListView {
  Q_OBJECT

 public:
  explicit ItemList(QWidget* parent = nullptr);
  /// No tuple has more rows than this.
  static constexpr qint64 kMostRows = 10000;
  /// The items that are known of a value of so many; those of a run that is past are grey.
  void setItems(const std::vector<ValueSummary>& items, qint64 count, bool past);
  /// The answer to `wanted`. `series` is that of the question: answers about another value are thrown away.
  void setItem(int series, int number, const ValueSummary& value);
  QString dump() const { return modelText(*model_); }

 Q_SIGNALS:
  /// Enter or a double click on an item.
  void opened(int number);
  /// An item in sight is not known.
  void wanted(int series, int number);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void look();
  void showRows();
  std::vector<ItemRow> rows_;
  std::vector<bool> asked_;
  int series_ = 0;  // other values that were shown
  QTimer looks_, shows_;
  StaleRows<ItemModel>* model_;
};

}  // namespace rx::views
