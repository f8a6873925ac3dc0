// Dock "Watch": expressions and what they are at the step that is shown, with the history of the selected one.
#pragma once

#include <QTimer>

#include "views/models/row_model.h"
#include "views/panels/panel.h"
#include "views/panels/row_edit.h"

namespace rx::views {

class ListView;
class WatchModel;
template <class Model>
class StaleRows;
class WatchPlotView;

class WatchPanel : public Panel {
  Q_OBJECT

 public:
  WatchPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override { return asking_ || soon_.isActive(); }
  QStringList menuCommands() const override;
  /// edit, remove, add EXPRESSION.
  bool obey(const QString& name, const QStringList& arguments) override;
  /// The line in which a row is changed, null while none is.
  ExpressionEdit* editor() const { return edit_->line(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void refresh();
  bool canPlot() const;
  void wantPlot();
  void askPlot();
  QString plotKey() const;
  bool editRow(int row);
  bool removeRow(int row);
  void add();
  PanelContext context_;
  StaleRows<WatchModel>* model_;
  ListView* view_;
  ExpressionEdit* line_;
  WatchPlotView* plot_;
  RowEdit* edit_;
  int edited_ = 0;       // id of the row that is edited
  bool asking_ = false;  // for a plot
  QTimer soon_;          // a plot is asked for when stops come no more
  QString plotted_;      // stage, number of steps and expression that the plot is of
};

}  // namespace rx::views
