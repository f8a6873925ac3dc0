// Dock "Bisect": what each stage of the module computes on the same inputs, the first that computes something else, and
// the values of the stage that is chosen, each with its error and where that comes from.
#pragma once

#include "views/models/bisect_report.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

class QLabel;
class QPushButton;

namespace rx::views {

class ListView;

class BisectPanel : public Panel {
  Q_OBJECT

 public:
  BisectPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// show OUTPUT: of `rxs bisect --json`; working: what is there is old until then; stage NUMBER; none.
  bool obey(const QString& name, const QStringList& arguments) override;

 private:
  void take(BisectReport report);
  void say();
  void showStage(int stage);
  void goToBinding(int row);
  PanelContext context_;
  BisectReport report_;
  QString pipeline_;  // that the report is of
  bool old_ = false;  // of another pipeline, or a new one is under way
  QLabel* said_;
  QPushButton* again_;
  RowModel<StageOutcome>* stages_;
  RowModel<ComparedValue>* values_;
  ListView* stageView_;
  ListView* valueView_;
};

}  // namespace rx::views
