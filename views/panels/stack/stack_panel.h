// Dock "Call Stack": the frames of the machine, the innermost first; choosing one goes to its binding.
#pragma once

#include "views/models/list_models.h"
#include "views/models/stale_rows.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class StackPanel : public Panel {
  Q_OBJECT

 public:
  StackPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;
  bool titleCounts() const override { return true; }

 private:
  void refresh();
  void pick(const QModelIndex& index);
  PanelContext context_;
  StaleRows<StackModel>* model_;
  ListView* view_;
};

}  // namespace rx::views
