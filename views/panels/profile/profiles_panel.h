// Dock "Profiles": all profiles of the window, of which one is shown and another one held against it (B and A), and
// what the one that is shown was measured by.
#pragma once

#include "views/models/profile_board.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

class QPushButton;

namespace rx::views {

class ListView;
class RichLabel;

/// A profile in the list.
struct ProfileName {
  QString mark;  // "B" of the one that is shown, "A" of the one that it is held against
  QString name;
  double wall = 0;  // nanoseconds
  int runs = 0;
  bool shown = false;
};

class ProfilesPanel : public Panel {
  Q_OBJECT

 public:
  ProfilesPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  QString conditions() const;

  PanelContext context_;
  ProfileBoard* board_;
  RowModel<ProfileName>* model_;
  ListView* view_;
  RichLabel* conditions_;
  QPushButton* run_ = nullptr;
  std::vector<QPushButton*> ofShown_;  // buttons that need a profile
};

}  // namespace rx::views
