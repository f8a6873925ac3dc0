// Dock "Context": what the passes run under, as fields of the first row of the pipeline. What is wrong stays, says what
// is near, and keeps the passes behind it from running.
#pragma once

#include "views/panels/panel.h"
#include "views/panels/pipeline/context_row.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace rx::views {

class FlowLayout;
class RichLabel;

class ContextPanel : public Panel {
  Q_OBJECT

 public:
  ContextPanel(const PanelContext& context, QWidget* parent);
  /// The level, then a line a name and a key: "disabled FuseOps", "relax.FuseOps.max_depth = 64", "unknown: …".
  QString dump() const override;
  /// add TEXT: as typed into the field of keys; follow WRONG NEAR: the value of a key to the one that was meant.
  bool obey(const QString& name, const QStringList& arguments) override;
  QStringList menuCommands() const override;

 private:
  void refresh();
  void showLevel();
  void showNames();
  void showKeys();
  void addKeyRow(const QString& key);
  QWidget* makeField(const QString& key);
  void addTypedKey();
  void addTypedName(const char* command);
  void follow(const QString& link);
  PanelContext context_;
  ContextSettings settings_;
  QString pipeline_;  // that they are of
  std::vector<QToolButton*> levels_;
  QWidget* names_;
  QWidget* keys_;
  QLineEdit* addName_;
  QLineEdit* addKey_;
  RichLabel* wrong_;
};

}  // namespace rx::views
