// How an instruction is written: its mark, the callee in the colour of its kind and never shortened, then what it reads
// and the register that it sets, which give way in the middle.
#pragma once

#include "views/panels/list_view.h"

namespace rx::views {

class InstructionDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// "call divide %47, %49" parted behind the callee: the word that is never shortened, and the rest.
std::pair<QString, QString> instructionParts(const QString& text, bool machine);

}  // namespace rx::views
