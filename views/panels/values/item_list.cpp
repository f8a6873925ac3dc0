#include "views/panels/values/item_list.h"

#include "views/models/numbers.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

constexpr Column<ItemRow> kColumns[] = {
    {"item", [](const ItemRow& row) { return QString::number(row.number); }, true},
    {"value", [](const ItemRow& row) { return row.value.known ? valueInShort(row.value) : QStringLiteral("null"); },
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
}

void ItemList::setItems(const std::vector<ValueSummary>& items, bool past) {
  std::vector<ItemRow> rows;
  for (const ValueSummary& item : items) rows.push_back({static_cast<int>(rows.size()), item});
  const int current = std::max(0, currentIndex().row());
  model_->setPalette(Palette::forQt(palette()));
  model_->setStale(past);
  model_->setRows(std::move(rows));
  if (!items.empty()) setCurrentIndex(model_->index(std::min(current, model_->rowCount() - 1), 0));
  fitColumns();
}

}  // namespace rx::views
