#include "views/models/memory_model.h"

#include <QCoreApplication>

#include "views/models/numbers.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("Memory", source); }

QString madeBy(const StorageRow& row) {
  if (row.step < 0) return text("input");
  return row.what.isEmpty() ? text("step %1").arg(grouped(row.step)) : row.what;
}
CellTone madeTone(const StorageRow& row) { return row.step < 0 ? CellTone::Grey : CellTone::Normal; }

constexpr Column<StorageRow> kColumns[] = {
    {"bytes", [](const StorageRow& row) { return bytesText(row.bytes); }, true},
    {"binding", [](const StorageRow& row) { return row.called.isEmpty() ? row.variable : row.called; }, false, true},
    {"made by", madeBy, false, false, madeTone},
    {"step", [](const StorageRow& row) { return row.step < 0 ? QString() : grouped(row.step); }, true},
    {"held by", [](const StorageRow& row) { return row.holders; }, false, true,
     [](const StorageRow&) { return CellTone::Grey; }, [](const StorageRow& row) { return row.holders; }},
};

}  // namespace

MemoryModel::MemoryModel(QObject* parent) : RowModel(kColumns, parent) {}

}  // namespace rx::views
