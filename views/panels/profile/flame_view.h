// The last run of a profile over time: the layers of the function, below them a lane for each depth of calls, one
// profile under the other on one scale.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "views/models/profile.h"

namespace rx::views {

/// What stands of a name in a bar with so many pixels of room: all of it, both ends of a long one where they can be
/// read, else nothing.
QString flameLabel(const QString& name, const QFontMetrics& letters, double room);

class FlameView : public QWidget {
  Q_OBJECT

 public:
  explicit FlameView(QWidget* parent = nullptr);
  /// Calls what layer a row of calls is of; empty for none.
  using LayerOf = std::function<QString(const ProfileRow&)>;
  /// `before` may be null.
  void setProfiles(ProfilePtr now, ProfilePtr before, const LayerOf& layerOf);
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
  /// Calls of one layer, one after the other; nanoseconds.
  struct Layer {
    QString name;
    double begin = 0, end = 0;
  };
  /// A profile with where its lanes are.
  struct Band {
    ProfilePtr profile;
    int first = 0;   // least depth
    int lanes = 1;   // of calls
    double end = 0;  // nanoseconds
    std::vector<Layer> layers = {};
    int all() const { return lanes + (layers.empty() ? 0 : 1); }
  };
  static Band bandOf(ProfilePtr profile, const LayerOf& layerOf);
  static std::vector<Layer> layersIn(const Profile& profile, int depth, const LayerOf& layerOf);
  double topOf(size_t band) const;
  QRectF laneOf(size_t band, int depth) const;
  void draw(QPainter& painter, size_t band) const;
  void drawLayers(QPainter& painter, size_t band) const;
  void drawDifference(QPainter& painter) const;
  void drawScale(QPainter& painter) const;
  double xOf(double nanoseconds) const;
  double laneHeight() const;
  const ProfileEvent* eventAt(const QPointF& at, const Profile** of = nullptr) const;
  bool isCurrent(const ProfileRow& row) const;

  std::vector<Band> bands_;  // that shown last
  QString currentName_, currentCallee_;
};

}  // namespace rx::views
