// Dock "Memory": what is alive at the step that is shown, a piece a row with the binding that made it, and the bytes
// that were alive over the run; a click there shows that step. Where nothing runs, or when it is asked for, what the
// stage that is shown plans.
#pragma once

#include <QTimer>
#include <utility>

#include "views/models/memory_model.h"
#include "views/models/memory_plan.h"
#include "views/models/stage_index.h"
#include "views/models/stale_rows.h"
#include "views/panels/panel.h"

class QBoxLayout;
class QLabel;
class QToolButton;

namespace rx::views {

class ListView;
class MemoryPlanView;
class MomentList;
class SizeBar;
class WatchPlotView;

class MemoryPanel : public Panel {
  Q_OBJECT

 public:
  MemoryPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override { return asking_ || planning_ || Panel::busy(); }
  QStringList menuCommands() const override;
  /// peak: goes to the step at which most was alive, as soon as the curve is known. planned after|before|run:
  /// the plan of the stage, or what its buffers took before, or what the run holds. size SYMBOL N: another size of a
  /// symbol, for all that is not running. top [BINDING]: what is alive where a binding is made, else at the moment of
  /// the plan that was clicked last. writer: selects who wrote the memory of what is selected, in a run also its step;
  /// reader: who reads it, again the next.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void catchUp(unsigned parts) override;
  /// The plot stands beside the rows where there is room, else over them.
  void resizeEvent(QResizeEvent* event) override;

 private:
  bool runs() const;
  /// Whether a plan is to be shown: always without a run.
  bool plans() const { return !runs() || planWanted_; }
  /// The function of the stage that is selected; null where it is not there.
  const FunctionRow* selectedFunction(StageIndexPtr* stage) const;
  /// Without a run, or beside it: the plan of the function that is shown, made on a worker. False where it has none.
  bool showPlan();
  void plan(const StageIndexPtr& stage, const QString& name);
  void takePlan(MemoryPlan plan);
  QWidget* makeBar();
  void showChoice(Planned planned);
  /// The buttons that go between a run and the plans.
  void showBar();
  /// What plans are made with.
  SymbolSizes sizesOf(const FunctionRow& function) const;
  void ask(MemoryPart part);
  void take(const MemoryMap& map);
  void takeCurve(const MemoryMap& map);
  void goToPeak();
  bool showTop(const QString& name);
  bool goToWriter();
  bool goToReader();
  void pick(const QModelIndex& index);
  PanelContext context_;
  QWidget* bar_;  // over the plan: before or after planning, sizes of symbols
  QToolButton* after_;
  QToolButton* before_;
  QToolButton* run_;
  SizeBar* sizes_;
  QLabel* summary_;
  QBoxLayout* both_;
  StaleRows<MemoryModel>* model_;
  ListView* view_;
  WatchPlotView* plot_;
  MemoryPlanView* planned_;
  MomentList* top_;
  std::pair<StageIndexPtr, QString> plannedOf_;  // the stage and the function whose plan is shown
  SymbolSizes plannedWith_;
  Planned chosen_ = Planned::After;
  QTimer more_;  // asks for what of the curve the last answer had no time for
  WatchPlot curve_;
  QString none_;             // what stands in the list while it has no rows
  bool planWanted_ = false;  // although there is a run
  bool planning_ = false;
  std::vector<int> readers_;  // of what was asked for last, ordinals, and which of them is selected
  size_t readerAt_ = 0;
  int plans_ = 0;  // number of the plan that is made or shown
  bool wantsPeak_ = false;
  bool asking_ = false;
  int asked_ = 0;  // number of the question whose answer is waited for
};

}  // namespace rx::views
