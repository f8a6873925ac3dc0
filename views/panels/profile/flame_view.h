// The last run of a profile over time: a lane for each depth of calls, one profile under the other on one scale.
#pragma once

#include <QWidget>

#include "views/models/profile.h"

namespace rx::views {

class FlameView : public QWidget {
  Q_OBJECT

 public:
  explicit FlameView(QWidget* parent = nullptr);
  /// `before` may be null.
  void setProfiles(ProfilePtr now, ProfilePtr before);
  /// The events that belong to a row of kernels or calls are outlined.
  void setCurrent(const ProfileRow& row);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// Somebody clicked on an event of the profile that is shown: its row of calls.
  void picked(int call);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// A profile with where its lanes are.
  struct Band {
    ProfilePtr profile;
    int first = 0;  // least depth
    int lanes = 1;
    double end = 0;  // nanoseconds
  };
  static Band bandOf(ProfilePtr profile);
  QRectF laneOf(size_t band, int depth) const;
  void draw(QPainter& painter, size_t band) const;
  void drawScale(QPainter& painter) const;
  double xOf(double nanoseconds) const;
  double laneHeight() const;
  const ProfileEvent* eventAt(const QPointF& at, const Profile** of = nullptr) const;
  bool isCurrent(const ProfileRow& row) const;

  std::vector<Band> bands_;  // that shown last
  QString currentName_, currentCallee_;
};

}  // namespace rx::views
