#include "views/panels/watch/watch_model.h"

#include <QApplication>
#include <QPainter>
#include <QPainterPath>

#include "views/models/value_text.h"

namespace rx::views {
namespace {

CellTone valueTone(const WatchRow& r) {
  return !r.error.isEmpty() || r.bad() ? CellTone::Error : r.known ? CellTone::Normal : CellTone::Grey;
}

QString valueText(const WatchRow& r) {
  if (!r.error.isEmpty()) return r.error;
  if (!r.known) return r.text.isEmpty() ? QStringLiteral("no run") : r.text;
  QStringList items;
  for (const ValueSummary& item : r.value.items) items << (item.known ? valueInShort(item, 4) : QStringLiteral("null"));
  return items.isEmpty() ? r.text : QStringLiteral("%1: %2").arg(r.text, items.join(QStringLiteral(" · ")));
}

constexpr Column<WatchRow> kColumns[] = {
    {"expression", [](const WatchRow& r) { return r.expression; }, false, true},
    {"value", valueText, false, true, valueTone,
     [](const WatchRow& r) {
       return r.changed ? valueText(r) + QStringLiteral("\nchanged since the last stop") : valueText(r);
     },
     nullptr, nullptr, nullptr, [](const WatchRow& r) { return r.changed; }},
};

}  // namespace

WatchModel::WatchModel(QObject* parent) : RowModel(kColumns, parent) {}

void WatchDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  CellDelegate::paint(painter, option, index);
  const WatchRow* row = model_->row(index);
  if (!row || row->error.isEmpty() || index.column() != 0 || row->errorBegin < 0) return;
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QRect text = QApplication::style()->subElementRect(QStyle::SE_ItemViewItemText, &cell, cell.widget);
  const int letter = cell.fontMetrics.averageCharWidth();
  const int margin = QApplication::style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, cell.widget) + 1;
  const auto x = [&](int characters) {
    return text.left() + margin + cell.fontMetrics.horizontalAdvance(row->expression.left(characters));
  };
  const qreal y = text.center().y() + cell.fontMetrics.ascent() / 2.0 + 2;
  const qreal end = std::max(x(row->errorEnd), x(row->errorBegin) + letter);
  const qreal step = letter / 2.5;
  QPainterPath path(QPointF(x(row->errorBegin), y));
  bool up = true;
  for (qreal at = x(row->errorBegin) + step; at <= end; at += step, up = !up) path.lineTo(at, up ? y - step * 0.8 : y);
  painter->save();
  painter->setClipRect(option.rect);
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(Palette::forQt(option.palette).error, 1.3));
  painter->drawPath(path);
  painter->restore();
}

}  // namespace rx::views
