// Dock "Pipeline": the passes as rows that are switched, moved, added and removed, with their options as fields and
// what each of them did when it ran. Every change is a command and can be undone.
#pragma once

#include "views/panels/panel.h"
#include "views/panels/pipeline/pipeline_rows.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace rx::views {

class ListView;
class OptionForm;
class RichLabel;
class PipelineModel;
struct PipelineLine;

class PipelinePanel : public Panel {
  Q_OBJECT

 public:
  PipelinePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  /// select ROW, add (the field of names), onlyChanged on|off.
  bool obey(const QString& name, const QStringList& arguments) override;
  QStringList menuCommands() const override;
  /// The row of the pipeline that is selected, -1 for none.
  int row() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeBar();
  QToolButton* addButton(const char* icon, const QString& text, const QString& tip, const QString& command);
  void runOnRow(const QString& command, const QStringList& more = {});
  void refresh();
  void showRow();
  void hideSame();
  void addTyped();
  void askFor(const QString& function);
  void goToRemark(const QString& link);
  void showWays(const PipelineLine* line);
  QPushButton* addWay(const QString& text, const QString& command, const QStringList& arguments);
  void goForward(int stage, int number, bool needsFile);
  void movePass(int by);
  PanelContext context_;
  PipelineModel* model_;
  ListView* view_;
  OptionForm* form_;
  RichLabel* reason_;     // what the pass of the selected row did, and why it did not
  QWidget* ways_;         // buttons of what lets it do that
  QPlainTextEdit* text_;  // the same pipeline as a command of rxs
  QLineEdit* add_;
  QLabel* refused_;
  QString only_;  // the function that the next pass is asked for; empty: the module
  QToolButton* runHere_ = nullptr;
  QToolButton* pipelines_ = nullptr;
  QToolButton* onlyChanged_ = nullptr;
  PipelineRows rows_;
};

}  // namespace rx::views
