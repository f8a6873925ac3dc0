// Dock "By layer": the time of a profile by the layers of the imported function or by what kernels do, beside that of
// the profile that it is held against.
#pragma once

#include "views/models/profile_board.h"
#include "views/panels/panel.h"

class QScrollArea;
class QToolButton;

namespace rx::views {

class EmptyNote;
class ShareBars;

/// A layer or a kind of operators: nanoseconds in the profile that is shown and in the other one, -1 without one.
struct ProfilePart {
  QString name;
  OpKind kind = OpKind::Compute;
  double now = 0, before = -1;
  bool layer = true;
};

class SharesPanel : public Panel {
  Q_OBJECT

 public:
  SharesPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  /// by layer|kind, row NUMBER.
  bool obey(const QString& name, const QStringList& arguments) override;

 private:
  void refresh();
  std::vector<ProfilePart> parts() const;
  void pick(int row);
  void showChosen();

  ProfileBoard* board_;
  bool byKind_ = false;
  QToolButton* layers_;
  QToolButton* kinds_;
  ShareBars* bars_;
  QScrollArea* scroll_;  // around them
  EmptyNote* empty_;
};

/// The parts as bars, the other profile's grey above that which is shown.
class ShareBars : public QWidget {
  Q_OBJECT

 public:
  explicit ShareBars(QWidget* parent);
  void setParts(std::vector<ProfilePart> parts);
  const std::vector<ProfilePart>& parts() const { return parts_; }
  /// Name of the part that is chosen; empty for none.
  void setChosen(const QString& name);
  const QString& chosen() const { return chosen_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {1, sizeHint().height()}; }

 Q_SIGNALS:
  void picked(int row);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double rowHeight() const;
  std::vector<ProfilePart> parts_;
  QString chosen_;
};

}  // namespace rx::views
