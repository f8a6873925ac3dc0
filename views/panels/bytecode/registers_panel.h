// Dock "Registers": the registers and the shape heap by themselves, where there is no room for them beside the
// bytecode.
#pragma once

#include "views/panels/panel.h"

namespace rx::views {

class RegisterList;

class RegistersPanel : public Panel {
  Q_OBJECT

 public:
  RegistersPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  RegisterList* list_;
};

}  // namespace rx::views
