// The roofline: how fast kernels compute by how much they compute for each byte that they move, under what the machine
// reaches.
#pragma once

#include <QWidget>
#include <functional>

#include "views/models/profile.h"
#include "views/theme/palette.h"

namespace rx::views {

class RooflineView : public QWidget {
  Q_OBJECT

 public:
  explicit RooflineView(QWidget* parent = nullptr);
  /// `before` may be null; its rows are rings, those of `now` discs, as large as their share of the time.
  void setProfiles(ProfilePtr now, ProfilePtr before, bool byCall);
  /// What rows are; each is drawn in the colour of its kind. All compute where nobody says it.
  void setKinds(std::function<OpKind(const ProfileRow&)> kindOf) { kindOf_ = std::move(kindOf); }
  /// Rows that are left out; none where nobody says it. The axes are those of all rows.
  void setShown(std::function<bool(const ProfileRow&)> isShown) { isShown_ = std::move(isShown); }
  /// The row that is drawn as the chosen one; -1 for none.
  void setCurrent(int row);
  QSize sizeHint() const override;

 Q_SIGNALS:
  void picked(int row);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Dot {
    int row = -1;  // of the profile that is shown; -1 of the other
    QPointF at;
    double radius = 0;
    QString text;
    OpKind kind = OpKind::Compute;
  };
  std::vector<Dot> dotsOf(const Profile& profile, bool before) const;
  QRectF area() const;
  QPointF place(double intensity, double gigaflops) const;
  void measure();
  void drawAxes(QPainter& painter) const;
  void drawRoof(QPainter& painter) const;
  void drawLine(QPainter& painter, double flops, double bytes) const;
  bool hasParallel() const;
  bool hasIntegers() const;
  const Dot* dotAt(const QPointF& at) const;

  ProfilePtr now_, before_;
  std::function<OpKind(const ProfileRow&)> kindOf_;
  std::function<bool(const ProfileRow&)> isShown_;
  bool byCall_ = false;
  int current_ = -1;
  std::vector<Dot> dots_;
  // Ends of the axes, as logarithms of 2.
  double left_ = -2, right_ = 8, bottom_ = 0, top_ = 10;
};

}  // namespace rx::views
