#include "views/panels/bytecode/instruction_delegate.h"

#include <QApplication>
#include <QPainter>

#include "views/models/row_model.h"
#include "views/theme/kind_mark.h"

namespace rx::views {

std::pair<QString, QString> instructionParts(const QString& text, bool machine) {
  const QString call = QStringLiteral("call ");
  const bool calls = text.startsWith(call);
  const qsizetype space = text.indexOf(' ', calls ? call.size() : 0);
  const QString head = space < 0 ? text : text.left(space);
  // What the machine does needs no "call" in front: its name says so.
  return {machine && calls ? head.mid(call.size()) : head, space < 0 ? QString() : text.mid(space)};
}

void InstructionDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QVariant kindData = index.data(kKindRole);
  if (!kindData.isValid()) return CellDelegate::paint(painter, option, index);
  const auto kind = static_cast<OpKind>(kindData.toInt());
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const bool machine = kind == OpKind::Memory;
  const auto [head, rest] = instructionParts(cell.text, machine);
  cell.text.clear();
  QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  const Palette& theme = Palette::forQt(option.palette);
  const int letter = cell.fontMetrics.averageCharWidth();
  const int side = std::max(7, cell.fontMetrics.ascent() * 2 / 3);
  QRect box = cell.rect.adjusted(letter / 2, 0, -letter / 2, 0);
  painter->save();
  painter->setClipRect(option.rect);
  drawKindMark(*painter, kind, theme, QRectF(box.left(), box.center().y() - side / 2.0 + 1, side, side));
  box.setLeft(box.left() + side + letter);
  QFont font = cell.font;
  font.setBold(!machine);
  painter->setFont(font);
  painter->setPen(machine ? theme.grey : theme.of(kind).ink);
  const QFontMetrics names(font);
  painter->drawText(box, Qt::AlignVCenter, names.elidedText(head, Qt::ElideRight, box.width()));
  box.setLeft(box.left() + names.horizontalAdvance(head));
  painter->setFont(cell.font);
  painter->setPen(machine ? theme.grey : theme.text);
  const QFontMetrics metrics(cell.font);
  if (box.width() > letter * 3)
    painter->drawText(box, Qt::AlignVCenter, metrics.elidedText(rest, Qt::ElideMiddle, box.width()));
  painter->restore();
}

}  // namespace rx::views
