// Dock "Profile": where the time of a run goes, by kernel or by call, alone or beside another profile; with the
// roofline of the machine and the last run over time.
#pragma once

#include "views/models/profile.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace rx::views {

class FlameView;
class ListView;
class RooflineView;

/// A row of the profile that is shown, and the same of the one that it is held against.
struct ProfileLine {
  ProfileRow row;
  double before = -1;  // nanoseconds there; -1 where it has no such row
  bool compared = false;
  bool byLayer = false;
  double most = 0;     // the largest share of all rows: its bar fills the cell
  QString layer = {};  // the blocks of the imported function that it comes from
};

/// What a row of the table is.
enum class ProfileBy : uint8_t { Kernel, Call, Layer };

class ProfilePanel : public Panel {
  Q_OBJECT

 public:
  ProfilePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// load FILE [TITLE], by kernel|call|layer, show NUMBER, against NUMBER|none (profiles are counted from 1), row
  /// NUMBER.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeBar();
  bool load(const QString& file, const QString& title);
  bool choose(QComboBox* box, const QString& number, int first);
  bool setBy(const QString& what);
  void refresh();
  void showParts();
  std::vector<ProfileLine> lines() const;
  std::vector<ProfileRow> rowsOf(const Profile& profile) const;
  std::vector<ProfileRow> layersHere(const Profile& profile) const;
  /// The block of the imported function that a row comes from, or the binding where that stands in none.
  QString layerOf(const ProfileSource& source) const;
  QString layersOfRow(const ProfileRow& row) const;
  QString summary() const;
  /// Why what is shown is not of what is open; empty where it is, or nobody knows.
  QString staleness() const;
  /// Where the difference to the other profile was made, in a sentence.
  QString difference(const Profile& now, const Profile& before) const;
  void pick(int line);
  void select(const ProfileLine& line, bool go);
  ProfilePtr shown() const;
  ProfilePtr against() const;

  PanelContext context_;
  /// What a profile was made of; those of files are of nobody knows what.
  struct Made {
    bool here = false;
    int text = 0;  // number of the text
    QString pipeline;
  };
  std::vector<ProfilePtr> profiles_;
  std::vector<Made> made_;  // of each
  int texts_ = 0;           // that were opened
  ProfileBy by_ = ProfileBy::Kernel;
  QToolButton* kernels_;
  QToolButton* calls_;
  QToolButton* layers_;
  QComboBox* shown_;
  QComboBox* against_;
  QLabel* summary_;
  RowModel<ProfileLine>* model_;
  ListView* view_;
  RooflineView* roofline_;
  FlameView* flame_;
};

}  // namespace rx::views
