// Dock "Diff": the selected stage beside the one before it, or beside the stage chosen for comparison.
#pragma once

#include "views/models/document.h"
#include "views/panels/panel.h"

namespace rx {
class DiffView;
class TextView;
}  // namespace rx

namespace rx::views {

class DiffPanel : public Panel {
  Q_OBJECT

 public:
  DiffPanel(const PanelContext& context, QWidget* parent);
  /// The rows that changed, `-` before and `+` after.
  QString dump() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  bool busy() const override;
  /// next, previous, all, changes.
  bool command(const QString& name, const QStringList& arguments) override;
  DiffView* view() const { return view_; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  /// The stage on the left: the one chosen, else the one before; -1 where there is none.
  int leftStage() const;
  void refresh();
  QString stageTitle(int stage) const;
  void selectAt(TextView* side, uint32_t line);
  PanelContext context_;
  DiffView* view_;
  StageIndexPtr left_, right_;
};

}  // namespace rx::views
