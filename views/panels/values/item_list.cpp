#include "views/panels/values/item_list.h"

#include <QScrollBar>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

constexpr Column<ItemRow> kColumns[] = {
    {"item", [](const ItemRow& row) { return QString::number(row.number); }, true},
    {"value",
     [](const ItemRow& row) {
       const QString none = row.there ? QStringLiteral("null") : QString(QChar(0x2026));
       return row.value.known ? valueInShort(row.value) : none;
     },
     false, true,
     [](const ItemRow& row) {
       return row.value.bad() ? CellTone::Error : row.value.known ? CellTone::Normal : CellTone::Grey;
     }},
    {"size", [](const ItemRow& row) { return row.value.isTensor ? bytesText(row.value.bytes) : QString(); }, true},
};

}  // namespace

ItemModel::ItemModel(QObject* parent) : RowModel(kColumns, parent) {}

ItemList::ItemList(QWidget* parent) : ListView(parent), model_(new StaleRows<ItemModel>(this)) {
  setModel(model_);
  setStretchColumn(1);
  setAccessibleName(tr("Items of the tuple"));
  connect(this, &ListView::chosen, this, [this](const QModelIndex& index) {
    if (const ItemRow* row = model_->row(index)) Q_EMIT opened(row->number);
  });
  for (QTimer* timer : {&looks_, &shows_}) timer->setSingleShot(true);
  connect(&looks_, &QTimer::timeout, this, &ItemList::look);
  connect(&shows_, &QTimer::timeout, this, &ItemList::showRows);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, &looks_, qOverload<>(&QTimer::start));
}

void ItemList::setItems(const std::vector<ValueSummary>& items, qint64 count, bool past) {
  const auto most = std::max(static_cast<qint64>(items.size()), items.empty() ? 0 : std::min(count, kMostRows));
  ++series_;
  rows_.clear();
  for (qint64 number = 0; number < most; ++number) {
    const auto at = static_cast<size_t>(number);
    const bool there = at < items.size();
    rows_.push_back({static_cast<int>(number), there ? items[at] : ValueSummary(), there});
  }
  asked_.assign(rows_.size(), false);
  const int current = std::max(0, currentIndex().row());
  model_->setPalette(Palette::forQt(palette()));
  model_->setStale(past);
  showRows();
  if (!items.empty()) setCurrentIndex(model_->index(std::min(current, model_->rowCount() - 1), 0));
  looks_.start();
}

void ItemList::setItem(int series, int number, const ValueSummary& value) {
  if (series != series_ || static_cast<size_t>(number) >= rows_.size()) return;
  ItemRow& row = rows_[static_cast<size_t>(number)];
  row.value = value;
  row.there = true;
  shows_.start();  // answers come one behind the other
}

void ItemList::showRows() {
  shows_.stop();
  model_->setRows(rows_);
  fitColumns();
}

void ItemList::look() {
  if (!isVisible() || rows_.empty()) return;
  const int first = std::max(0, indexAt({1, 1}).row());
  const QModelIndex below = indexAt({1, viewport()->height() - 2});
  const int last = below.isValid() ? below.row() : static_cast<int>(rows_.size()) - 1;
  for (int number = first; number <= last; ++number) {
    const auto at = static_cast<size_t>(number);
    if (rows_[at].there || asked_[at]) continue;
    asked_[at] = true;
    Q_EMIT wanted(series_, number);
  }
}

void ItemList::resizeEvent(QResizeEvent* event) {
  ListView::resizeEvent(event);
  looks_.start();
}

void ItemList::showEvent(QShowEvent* event) {
  ListView::showEvent(event);
  looks_.start();
}

}  // namespace rx::views
