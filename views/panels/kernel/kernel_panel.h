// Dock "Kernel": the text of the function that the selected binding calls, in the stage that is shown; and of a kernel,
// where that is asked for, all that becomes of it down to machine code, two stages side by side.
#pragma once

#include <QHash>
#include <memory>

#include "views/models/document.h"
#include "views/models/kernel_listing.h"
#include "views/models/stage_index.h"
#include "views/models/tool_job.h"
#include "views/panels/panel.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace rx {
class BannerView;
class TextView;
}  // namespace rx

namespace rx::views {

class KernelSides;
class KernelShown;
class KernelStrip;
class KernelTune;
class ScratchFolder;
class RooflineView;
class TraceEditor;

class KernelPanel : public Panel {
  Q_OBJECT

 public:
  KernelPanel(const PanelContext& context, QWidget* parent);
  ~KernelPanel() override;
  QString dump() const override;
  QStringList menuCommands() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  bool busy() const override { return Panel::busy() || working_ || machine_->busy() || isTuning(); }
  /// stages [on|off [KERNEL]] (of a kernel of the program by its name where none is selected), samples [on|off], trace
  /// [FILE] (opens the schedule's text, or applies that of a file), left STAGE, middle STAGE, right STAGE, step STAGE
  /// (a number, a name, next, previous), tune [off|TRIALS], line left|middle|right NUMBER, cross, cancel, copy, wrap
  /// on|off, shortTypes on|off.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  void makeBar(QWidget* bar);
  void follow();
  /// The selected function where it is a kernel, or what the selected binding calls; null where there is none.
  const FunctionRow* called(const StageIndex& stage) const;
  void showText(const StageIndex* stage, const FunctionRow* function);
  void setStages(bool on);
  /// Shows the stages of a kernel, from what is known or by asking rxs; what was shown stays until they are there.
  void ask(const QString& kernel);
  void answered(const QString& key, const QByteArray& json);
  void take(const QString& key, const KernelListingPtr& listing, const QString& problem);
  void ended();
  /// Nothing is waited for any more.
  void cancel();
  /// The same by the user: what was asked is not asked again until something else is, or Stages is pressed again.
  void decline();
  void showFacts();
  void showStrip();
  /// How near the kernel comes to what the machine does, where it was run and its work is known.
  void showRoof();
  void takeMachine(const QByteArray& json);
  /// The schedule as text (kernel_trace.cpp).
  bool openTrace();
  void closeTrace();
  void applyTrace();
  /// The kernel as schedules begin with it, in a file by itself. The answer is empty, or why not.
  QString writeKernel();
  bool tuneKernel(int trials);
  void traced(const QString& kernel, bool ok, const QByteArray& output);
  bool traceShown() const;
  /// What rules did, and how registers are used: a line each.
  QStringList facts() const;
  QString byEdit() const;
  TextView* focusedView() const;
  bool stagesShown() const;
  bool isTuning() const;
  void publish();

  PanelContext context_;
  BannerView* page_;
  TextView* view_;
  QStackedWidget* pages_;
  KernelSides* sides_;
  KernelStrip* strip_;
  RooflineView* roof_;
  TraceEditor* trace_;
  KernelTune* tune_;
  KernelShown* shown_;
  QLabel* facts_;
  QToolButton* stages_;
  QToolButton* sampled_;
  QToolButton* edit_;
  QToolButton* tuning_;
  QToolButton* cancel_;
  ToolJob* job_;
  ToolJob* machine_;
  QByteArray text_;
  QString kernel_;    // the one that is selected, or was named; empty where it is none
  QString named_;     // shown by its name as long as nothing else is selected
  Place namedAt_;     // what was selected then
  QString key_;       // what was asked last
  QString declined_;  // what the user did not wait for
  QString refused_;   // why what was asked has no stages
  QHash<QString, KernelListingPtr> known_;
  KernelListingPtr edited_;  // by the text of its schedule; null where rules made what is shown
  std::unique_ptr<ScratchFolder> files_;
  bool tuned_ = false;                      // stages are those of the quickest variant
  double work_ = -1, moved_ = -1;           // FLOP and bytes of a call; -1 where they are not known
  double flopsLimit_ = 0, bytesLimit_ = 0;  // of the machine, a second; 0: not asked yet, -1: nobody knows
  bool working_ = false;
};

}  // namespace rx::views
