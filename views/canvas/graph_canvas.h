// The graph canvas: shows a GraphModel, laid out on a worker thread, with pan, zoom and keys.
#pragma once

#include <QFont>
#include <QPainterPath>
#include <QWidget>
#include <memory>
#include <unordered_map>

#include "views/canvas/band_index.h"
#include "views/canvas/graph_layout.h"

namespace rx {

/// What is added to a node while the program runs; never changes the layout.
struct NodeMark {
  bool error = false;
  bool current = false;
  bool breakpoint = false;
  QString note;  ///< replaces the subtitle: "(n, n) f16 · 2 Inf"
};

/// A colour over that of the kind, for views by change, time or memory; never changes the layout.
struct NodeTint {
  QColor line, fill;
  QString note;  ///< replaces the subtitle: "41 µs"
};

/// A model with its layout; immutable, shared with the worker that made it.
struct LaidGraph {
  GraphModel model;
  GraphLayout layout;
  std::unordered_map<uint64_t, uint32_t> indexOf;  ///< id to node
  std::vector<std::vector<uint32_t>> inputs, outputs;
  BandIndex nodeBands, edgeBands, stubBands;
};

class GraphCanvas : public QWidget {
  Q_OBJECT
 public:
  explicit GraphCanvas(QWidget* parent = nullptr);
  ~GraphCanvas() override;

  void setTheme(const Palette& palette);
  const Palette& theme() const { return theme_; }
  /// Starts the layout; the present picture stays until the new one is there. `keepView` leaves zoom and place as they
  /// are (the same function again), and nodes stay in their columns; otherwise the new graph is fitted.
  void setModel(GraphModel model, bool keepView = false);
  /// Shown while the graph is empty.
  void setPlaceholder(const QString& text);
  bool busy() const { return bool(job_); }
  void cancelLayout();
  /// Null until the first layout is there.
  const LaidGraph* graph() const { return graph_.get(); }

  void setSelected(uint64_t id);
  uint64_t selected() const { return selected_; }
  void setMarks(std::unordered_map<uint64_t, NodeMark> marks);
  const NodeMark* mark(uint64_t id) const;
  void setTints(std::unordered_map<uint64_t, NodeTint> tints);
  const NodeTint* tint(uint64_t id) const;
  /// All nodes whose title or subtitle holds a text are marked; empty marks none. The number of nodes found.
  int find(const QString& text);
  /// Selects the next (or previous) found node; false when there is none.
  bool findNext(int direction);

  void fit();
  void zoomBy(double factor);
  void resetZoom();
  double scale() const { return scale_; }
  /// Scrolls so that the node is on screen, away from the edge.
  void reveal(uint64_t id);
  /// Scrolls so that the node stands in the middle, unless the whole graph is in sight.
  void center(uint64_t id);
  /// Where a box of the layout stands on screen, and the height in the layout of one on screen.
  QRectF rectAt(const GraphRect& box) const;
  double sceneY(double y) const { return y / scale_ + origin_.y(); }
  /// Where the graph is drawn: the widget without the overview that stands beside it.
  QRectF viewRect() const;
  /// The overview of a graph that is not whole in sight; empty otherwise.
  QRectF overviewRect() const;
  /// The button that folds or unfolds under a position, by the id of its node or region; 0 for none.
  uint64_t foldButtonAt(QPointF position) const;
  /// Where a node stands in the widget; empty when it is not in the graph.
  QRectF rectOf(uint64_t id) const;
  /// Node or label under a position: the id of the node (of a label: of its source), 0 for none.
  uint64_t idAt(QPointF position) const;
  /// Name of a node for those who do not see it: title, shape, kind, state.
  QString nodeDescription(uint32_t index) const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// Clicked, or reached by the arrow keys.
  void nodeActivated(quint64 id);
  /// Double-clicked, or Enter.
  void nodeEntered(quint64 id);
  void nodeHovered(quint64 id);
  /// The plus of a folded block, or the minus of an open one.
  void foldClicked(quint64 id);
  /// The key A: allocations and kills as nodes, or folded again.
  void machineWanted();
  void scaleChanged();
  void contextMenuAt(const QPoint& globalPosition, quint64 id);
  void layoutChanged();
  /// A layout began or ended.
  void busyChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  friend class GraphPainter;
  GraphMetrics measure(const GraphModel& model) const;
  void keepPlaces();
  void accept(std::shared_ptr<const LaidGraph> graph, bool keepView);
  void startLayout(GraphModel model, bool keepView);
  void zoomAt(QPointF anchor, double factor);
  void clampView();
  void settleView();
  /// Moves the view so that what is in both graphs stays where it is on screen.
  void followPlaces(const LaidGraph& old);
  void moveSelection(Qt::Key key);
  uint32_t neighbour(uint32_t from, Qt::Key key) const;
  void select(uint32_t index);
  QPointF toScene(QPointF position) const { return position / scale_ + origin_; }
  bool overviewShown() const;
  /// The plus or minus of a block that stands in `box` on screen.
  QRectF foldButtonOf(const QRectF& box) const;
  /// Moves the view to a place of the overview.
  void jumpInOverview(QPointF position);

  Palette theme_;
  std::shared_ptr<const LaidGraph> graph_;
  struct Job;
  std::shared_ptr<Job> job_;
  GraphModel pendingModel_;
  QString placeholder_;
  std::unordered_map<uint64_t, NodeMark> marks_;
  std::unordered_map<uint64_t, NodeTint> tints_;
  std::vector<uint32_t> found_;
  QString findText_;
  uint64_t selected_ = 0;
  uint64_t hovered_ = 0;
  std::unordered_map<std::string, double> places_;  // x of the middle, by GraphNode::placeKey, of the first graph shown
  QPointF origin_;  // scene point at the widget's left top corner
  double scale_ = 1;
  bool fitted_ = false;  // follow the size of the widget
  bool viewMoved_ = false;
  QPointF pressAt_;
  QPointF pressOrigin_;
  enum class Drag : uint8_t { None, Pending, Pan, Overview } drag_ = Drag::None;
};

}  // namespace rx
