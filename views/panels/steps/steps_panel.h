// Dock "Steps": what becomes of the kernel that the kernel view shows, a step a row; a row shows the text after it.
#pragma once

#include "views/models/kernel_steps.h"
#include "views/panels/panel.h"

class QStandardItemModel;

namespace rx::views {

class ListView;

class StepsPanel : public Panel {
  Q_OBJECT

 public:
  StepsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void mark();
  PanelContext context_;
  KernelShown* shown_;
  QStandardItemModel* model_;
  ListView* view_;
  KernelListingPtr listing_;
  std::vector<KernelStepRow> rows_;
};

}  // namespace rx::views
