// Dock "Breakpoints": all breakpoints, when each stops, its hits and what is wrong with it; the box switches one off,
// F2 opens its condition in the text, Delete removes it.
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
  QStringList menuCommands() const override;
  /// edit, remove: of the current row.
  bool command(const QString& name, const QStringList& arguments) override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void select(const QModelIndex& index);
  void choose(const QModelIndex& index);
  PanelContext context_;
  BreakpointModel* model_;
  ListView* view_;
};

}  // namespace rx::views
