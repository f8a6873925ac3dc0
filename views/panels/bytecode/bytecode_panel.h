// Dock "Bytecode": the program with the current instruction and the binding that each came from; beside it the
// registers and the shape heap of the frame that is shown. Rows of the selected binding are selected, and a row that is
// clicked selects its binding; a click in front of it, or F9, sets or removes a breakpoint before the instruction.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;
class RegisterList;

class BytecodePanel : public Panel {
  Q_OBJECT

 public:
  BytecodePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// Whether the registers stand beside the program; where they do not, a panel of their own has them.
  void setRegistersBeside(bool beside);
  /// toggleBreakpoint [PC]: before that instruction, or the current row's. condition [EXPRESSION|none]: of the current
  /// row's; without a text its editor opens. goTo FUNCTION OFFSET: makes an instruction the current row.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  void buildViews();
  /// What stands where no program can be seen.
  QString emptyText() const;
  void refresh();
  void revealCurrent();
  void showProgram(const std::vector<InstructionRow>& program);
  void showSelection(bool scroll);
  int rowOfSelection() const;
  bool toggleBreakpoint(const InstructionRow& at);
  bool setCondition(const InstructionRow& at, const QStringList& words);
  const BreakpointRow* breakpointAt(const InstructionRow& at) const;
  void selectInstruction(const QModelIndex& index);
  PanelContext context_;
  BytecodeModel* bytecode_;
  ListView* bytecodeView_;
  RegisterList* registers_;
  int stage_ = -1;             // whose bindings the shown program is named by
  std::vector<int> bindings_;  // of each of its rows
  bool showing_ = false;       // rows are made current by the window, not by the user
  bool selecting_ = false;     // the user's click is on its way to the selection
};

}  // namespace rx::views
