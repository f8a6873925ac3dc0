// The last run of a profile over time: the layers of the function, below them a lane for each depth of calls, one
// profile under the other on one scale.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "views/models/profile.h"

namespace rx::views {

class ProfileBoard;

/// What stands of a name in a bar with so many pixels of room: all of it, both ends of a long one where they can be
/// read, else nothing.
QString flameLabel(const QString& name, const QFontMetrics& letters, double room);

class FlameView : public QWidget {
  Q_OBJECT

 public:
  explicit FlameView(QWidget* parent = nullptr);
  /// Shows the profiles of a board, which outlives it: what is chosen there is outlined, what its filter leaves out
  /// pale. To be called again when it has others.
  void setBoard(const ProfileBoard* board);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  /// So many times as wide as what fits, around the moment at a place of the view.
  void zoom(double factor, double at);
  void zoom(double factor) { zoom(factor, width() / 2.0); }
  /// All of both runs.
  void fit();
  /// Scrolls so that what is chosen is in sight.
  void showChosen();
  double zoomed() const { return zoom_; }

 Q_SIGNALS:
  /// Somebody clicked on an event: its row of calls, in the profile that is shown or the other one.
  void picked(int call, bool shown);
  /// Somebody double-clicked on one.
  void entered(int call);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// Calls what layer a row of calls is of; empty for none.
  using LayerOf = std::function<QString(const ProfileRow&)>;
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
  double allNanoseconds() const;
  double across() const;
  void scrollTo(double left);
  void drawEvent(QPainter& painter, const ProfileRow& row, const QRectF& box, bool current) const;
  const ProfileEvent* eventAt(const QPointF& at, const Profile** of = nullptr) const;
  bool isCurrent(const ProfileEvent& event, size_t band) const;

  const ProfileBoard* board_ = nullptr;
  std::vector<Band> bands_;  // that shown last
  double zoom_ = 1;
  double left_ = 0;      // nanoseconds at the left end
  double pressed_ = -1;  // where a drag began, or was last; -1 for none
};

}  // namespace rx::views
