// Dock "Trace Values": the values of a folder that `rxs run --trace` wrote; choosing one shows its tensor in the Values
// panel, and its binding where the open module has it.
#pragma once

#include "views/models/row_model.h"
#include "views/models/traced_values.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class TracedPanel : public Panel {
  Q_OBJECT

 public:
  TracedPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// show ROW (from 0), none.
  bool obey(const QString& name, const QStringList& arguments) override;

 private:
  void refresh();
  void show(int row);
  PanelContext context_;
  RowModel<TracedRow>* model_;
  ListView* view_;
  bool choosing_ = false;  // the selection moves because a row was chosen
};

}  // namespace rx::views
