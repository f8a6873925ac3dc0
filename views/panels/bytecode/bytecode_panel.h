// Dock "Bytecode": the program with the current instruction and the binding that each came from; beside it the
// registers and the shape heap of the frame that is shown.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class BytecodePanel : public Panel {
  Q_OBJECT

 public:
  BytecodePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  void revealCurrent();
  void showProgram(const std::vector<InstructionRow>& program);
  void selectVariable(const QString& variable);
  PanelContext context_;
  BytecodeModel* bytecode_;
  RegisterModel* registers_;
  HeapModel* heap_;
  ListView* bytecodeView_;
  ListView* registerView_;
  ListView* heapView_;
};

}  // namespace rx::views
