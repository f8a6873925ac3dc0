// Dock "Breakpoints": all breakpoints, when each stops, its hits and what is wrong with it; the box switches one off,
// F2 opens its condition in the text (that of an instruction in the list), Delete removes it.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"
#include "views/panels/row_edit.h"

namespace rx::views {

class ListView;

class BreakpointsPanel : public Panel {
  Q_OBJECT

 public:
  BreakpointsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// edit, remove: of the current row. edit ID: of that breakpoint.
  bool obey(const QString& name, const QStringList& arguments) override;

  /// The line in which the condition of an instruction is changed, null while none is.
  ExpressionEdit* editor() const { return edit_->line(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void select(const QModelIndex& index);
  void choose(const QModelIndex& index);
  bool edit(int row);
  void keepCondition(const QString& text);
  PanelContext context_;
  BreakpointModel* model_;
  ListView* view_;
  RowEdit* edit_;   // the condition of an instruction, which has no line in the text
  int edited_ = 0;  // its number
};

}  // namespace rx::views
