// Dock "Bisect": what each stage of the module computes on the same inputs, the first that computes something else, and
// the values of the stage that is chosen, each with its error and where that comes from. Each run is shown when it
// ends.
#pragma once

#include "views/models/bisect_report.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QSplitter;

namespace rx::views {

class BisectReason;
class ErrorBars;
class ListView;

class BisectPanel : public Panel {
  Q_OBJECT

 public:
  BisectPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// show OUTPUT: of `rxs bisect --json`; working: what is there is old until then; line LINE: a stage that it tells of
  /// meanwhile; cancelled; stage NUMBER; none; with WHAT [ARGUMENT…]: what the runs take, in words and as arguments of
  /// debug.bisect behind the limit, for the next search; reproducer: asks where to, and writes it.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* makeBar();
  QWidget* makeParts();
  void connectControls();
  void connectLists();
  void connectDocument();
  void take(BisectReport report);
  void showReport(int stage);
  void shareRoom();
  void addLine(const QByteArray& line);
  void startOrCancel();
  void writeReproducer();
  void goToStage(int stage, int value);
  void say();
  void showStage(int stage);
  void goToBinding(int row);
  PanelContext context_;
  BisectReport report_;
  QString pipeline_;  // that the report is of
  int shared_ = 0;    // of how many stages the lists have their room
  bool old_ = false;  // of another pipeline, or a new one is under way
  bool working_ = false;
  bool cancelled_ = false;  // before all stages were looked at
  QString function_;        // that the last search ran, and what it took
  QStringList arguments_;
  QLabel* guilty_;
  QLabel* said_;
  QPushButton* inputs_;
  QLineEdit* limit_;
  QPushButton* again_;
  ErrorBars* bars_;
  BisectReason* reason_;
  QSplitter* lists_ = nullptr;  // stages, and the rest
  QSplitter* rest_ = nullptr;   // values of a stage, and why it is guilty
  RowModel<StageOutcome>* stages_;
  RowModel<ComparedValue>* values_;
  ListView* stageView_;
  ListView* valueView_;
};

}  // namespace rx::views
