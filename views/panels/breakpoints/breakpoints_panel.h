// Dock "Breakpoints": all breakpoints with their hits; the box switches one off, Delete removes it.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class BreakpointsPanel : public Panel {
  Q_OBJECT

 public:
  BreakpointsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;

 private:
  void refresh();
  void choose(const QModelIndex& index);
  PanelContext context_;
  BreakpointModel* model_;
  ListView* view_;
};

}  // namespace rx::views
