// Dock "Problems": findings of every layer with their place; choosing one goes there.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class ProblemsPanel : public Panel {
  Q_OBJECT

 public:
  ProblemsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;

 private:
  void refresh();
  void choose(const QModelIndex& index);
  PanelContext context_;
  ProblemModel* model_;
  ListView* view_;
};

}  // namespace rx::views
