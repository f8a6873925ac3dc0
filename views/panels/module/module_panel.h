// Dock "Module": the functions of the selected stage, their blocks and bindings.
#pragma once

#include "views/models/module_tree_model.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class ModulePanel : public Panel {
  Q_OBJECT

 public:
  ModulePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;

 private:
  void refresh();
  /// What the pass of a stage did to its functions: "new", "+3", "changed".
  QHash<QString, QString> changesOf(int stage) const;
  /// What is not finite in the values of a run of this stage, and what runs next.
  void showRun();
  void showErrors();
  void follow();
  /// Shows the blocks of a selected function, and their bindings where they are few.
  void unfold(const QModelIndex& function);
  void choose(const QModelIndex& index);
  PanelContext context_;
  ModuleTreeModel* model_;
  ListView* view_;
};

}  // namespace rx::views
