// Dock "Flame chart": the last run of the profiles over time, one under the other on one scale. The wheel zooms, a drag
// scrolls, a click chooses.
#pragma once

#include "views/panels/panel.h"

class QScrollArea;

namespace rx::views {

class EmptyNote;
class FlameView;
class ProfileBoard;

class FlamePanel : public Panel {
  Q_OBJECT

 public:
  FlamePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// fit, larger, smaller, call NUMBER (chooses it).
  bool obey(const QString& name, const QStringList& arguments) override;

 private:
  void refresh();
  void pick(int call, bool shown);
  PanelContext context_;
  ProfileBoard* board_;
  FlameView* flame_;
  QScrollArea* scroll_;
  EmptyNote* empty_;
};

}  // namespace rx::views
