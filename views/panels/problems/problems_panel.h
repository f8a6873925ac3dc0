// Dock "Problems": findings of every layer with their place; choosing one goes there.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

class QPushButton;

namespace rx::views {

class ListView;
class RulePage;

class ProblemsPanel : public Panel {
  Q_OBJECT

 public:
  ProblemsPanel(const PanelContext& context, QWidget* parent);
  /// The problems, and what is told of a rule below them.
  QString dump() const override;
  QStringList menuCommands() const override;
  /// explain [RULE]: what the rule of the current problem, or that rule, means.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void share();
  /// The button says what the fix of the current problem writes.
  void showFix();
  /// Selects the binding that the problem is about, where its stage is there.
  void pick(const QModelIndex& index);
  void choose(const QModelIndex& index);
  PanelContext context_;
  ProblemModel* model_;
  ListView* view_;
  QPushButton* explain_;
  QPushButton* fix_;
  RulePage* page_;
  bool ofProblem_ = false;  // the rule that is told of is that of a row
};

}  // namespace rx::views
