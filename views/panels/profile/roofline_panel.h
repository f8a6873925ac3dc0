// Dock "Roofline": how near the kernels of a profile come to what the machine does, and of the one that is chosen why
// it takes the time that it takes, and what makes the difference to another profile.
#pragma once

#include "views/models/profile_board.h"
#include "views/panels/panel.h"

class QPushButton;
class QScrollArea;

namespace rx::views {

class EmptyNote;
class RichLabel;
class RooflineView;

class RooflinePanel : public Panel {
  Q_OBJECT

 public:
  RooflinePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// dot NUMBER: chooses a row of the profile's kernels, or calls where those are shown.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void showChoice();
  void pick(int row);
  void follow(const QString& link);
  QString details() const;
  QString detailsOf(const ProfileRow& row) const;

  PanelContext context_;
  ProfileBoard* board_;
  RooflineView* roofline_;
  RichLabel* details_;
  QScrollArea* scroll_;  // around it
  EmptyNote* empty_;
  std::vector<QPushButton*> buttons_;
};

}  // namespace rx::views
