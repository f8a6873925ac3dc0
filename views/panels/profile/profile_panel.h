// Dock "Profile": where the time of a run goes, by kernel, call or layer, alone or beside another profile. What is
// chosen in it is chosen in roofline, flame chart, shares and text too.
#pragma once

#include "views/models/profile_board.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace rx::views {

class ListView;

/// A row of the profile that is shown, and the same of the one that it is held against.
struct ProfileLine {
  ProfileRow row;
  double before = -1;  // nanoseconds there; -1 where it has no such row
  bool compared = false;
  bool byLayer = false;
  double most = 0;     // the largest share of all rows: its bar fills the cell
  QString layer = {};  // the blocks of the imported function that it comes from
  QString name = {};   // what people know it by
  OpKind kind = OpKind::Compute;
  int number = -1;     // of the row in the profile; -1 for the sum of all
  QString wall = {};   // of the sum: how much of the wall clock it is
  bool micro = false;  // times are told in microseconds: the whole run takes less than a millisecond
};

/// The context menu of the profile's panels.
QStringList profileMenu();

class ProfilePanel : public Panel {
  Q_OBJECT

 public:
  ProfilePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// by kernel|call|layer, row NUMBER, filter TEXT, binding (goes to that of the chosen row).
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeBar();
  bool setBy(const QString& what);
  void refresh();
  void showColumns();
  std::vector<ProfileLine> lines() const;
  ProfileLine sum(const Profile& now, const std::vector<ProfileLine>& lines) const;
  int lineChosen() const;
  void pick(int line);
  /// Makes what is chosen current in the table, and selects its binding.
  void showChoice();
  void select(const ProfileRow& row, bool go);

  PanelContext context_;
  ProfileBoard* board_;
  QToolButton* kernels_;
  QToolButton* calls_;
  QToolButton* layers_;
  QToolButton* scope_;
  std::vector<QToolButton*> ways_;  // out of the window
  QLineEdit* filter_;
  QLabel* said_;
  QLabel* wall_;
  RowModel<ProfileLine>* model_;
  ListView* view_;
};

}  // namespace rx::views
