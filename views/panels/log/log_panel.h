// Dock "Log": what the engine and the program that runs say.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class LogPanel : public Panel {
  Q_OBJECT

 public:
  LogPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;

 private:
  void refresh();
  PanelContext context_;
  LogModel* model_;
  ListView* view_;
};

}  // namespace rx::views
