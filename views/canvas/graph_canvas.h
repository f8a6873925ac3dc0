// The graph canvas: shows a GraphModel, laid out on a worker thread, with pan, zoom and keys.
#pragma once

#include <QFont>
#include <QPainterPath>
#include <QPixmap>
#include <QWidget>
#include <functional>
#include <memory>
#include <unordered_map>

#include "views/canvas/band_index.h"
#include "views/canvas/far_view.h"
#include "views/canvas/graph_measure.h"

namespace rx {

/// What is added to a node while the program runs; never changes the layout.
struct NodeMark {
  bool error = false;
  bool current = false;
  bool breakpoint = false;
  QString note = {};  ///< replaces the subtitle: "(n, n) f16 · 2 Inf"
  bool root = false;  ///< where an error began: said in a word beside the node
};

/// Drawn at a node that differs between two graphs, so that it is not told by its colour alone.
enum class TintSign : uint8_t { None, Plus, Minus, Wave, Arrows };

/// A colour over that of the kind, for views by change, time or memory; never changes the layout.
struct NodeTint {
  QColor line, fill;
  QString note = {};  ///< replaces the subtitle: "41 µs"
  TintSign sign = TintSign::None;
};

/// Where a view stands, in words that mean the same for another graph of the same function.
struct GraphAnchor {
  std::string key;  ///< GraphNode::placeKey of the node next to the middle; empty: there is none
  QPointF offset;   ///< of its middle from that of the view, on screen
  double part = 0;  ///< how far down the middle is, of the height of the graph
  double scale = 1;
  bool fitted = false;
};

/// A model with its layout; immutable, shared with the worker that made it.
struct LaidGraph {
  GraphModel model;
  GraphLayout layout;
  std::unordered_map<uint64_t, uint32_t> indexOf;  ///< id to node
  std::vector<std::vector<uint32_t>> inputs, outputs;
  BandIndex nodeBands, edgeBands, stubBands;
  int64_t weightBytes = 0;  ///< of all weights of known size, each once
  int64_t mostWeight = 0;   ///< of one node
  bool hasWeights = false;
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
  /// `noteOf` gives the notes of marks with an error and without one, each when it is first looked at: where all of a
  /// large graph is wrong, few of them can be read at once.
  void setMarks(std::unordered_map<uint64_t, NodeMark> marks, std::function<QString(uint64_t id)> noteOf = {});
  const NodeMark* mark(uint64_t id) const;
  void setTints(std::unordered_map<uint64_t, NodeTint> tints);
  const NodeTint* tint(uint64_t id) const;
  /// All nodes whose title or subtitle holds a text are marked; empty marks none. The number of nodes found.
  int find(const QString& text);
  /// Selects the next (or previous) found node, or lit one where nothing is looked for; false when there is none.
  bool findNext(int direction);
  /// Nodes with a halo, and how many hits each stands for: what a search found, the calls of an operator.
  void setLit(std::unordered_map<uint64_t, int> hits);
  /// Indices of the lit nodes that are drawn, ascending.
  const std::vector<uint32_t>& lit() const { return lit_; }
  int hitsOf(uint64_t id) const;

  void fit();
  void zoomBy(double factor);
  void resetZoom();
  double scale() const { return scale_; }
  /// Scrolls so that the node is on screen, away from the edge.
  void reveal(uint64_t id);
  /// Scrolls so that the node stands in the middle, unless the whole graph is in sight.
  void center(uint64_t id);
  /// The same, where the whole graph is in sight from so near that the texts in the nodes can be read.
  void approach(uint64_t id);
  /// Where the view stands, and standing where that of another canvas does (which emits no viewMoved).
  GraphAnchor anchor() const;
  void follow(const GraphAnchor& anchor);
  /// Writes sizes of weights; plain numbers of bytes until it is set.
  void setSizeText(std::function<QString(qint64)> text) { sizeText_ = std::move(text); }
  QString sizeText(int64_t bytes) const;
  /// Weights and constants as labels with name, shape and size at the operations that read them, besides the rail.
  void setWeightLabels(bool shown);
  bool weightLabels() const { return weightLabels_; }
  /// The strip with the bytes of the weights of each node; empty where there are none or no room for it.
  QRectF railRect() const;
  /// Where a box of the layout stands on screen, and the height in the layout of one on screen.
  QRectF rectAt(const GraphRect& box) const;
  QPointF pointAt(const GraphPoint& point) const { return (QPointF(point.x, point.y) - origin_) * scale_; }
  /// The same of a node and of a region as they are drawn: from afar they may be larger than the layout has them.
  QRectF drawnBox(uint32_t node) const;
  QRectF drawnRegion(size_t region) const;
  /// Null where the texts in the nodes can be read.
  const FarView* farView() const;
  double sceneY(double y) const { return y / scale_ + origin_.y(); }
  /// Where the graph is drawn: the widget without the rail and the overview that stand beside it.
  QRectF viewRect() const;
  /// The overview of a graph that is not whole in sight; empty otherwise.
  QRectF overviewRect() const;
  /// The plus or minus of a block that stands in `box` on screen.
  QRectF foldButtonOf(const QRectF& box) const;
  /// The button that folds or unfolds under a position, by the id of its node or region; 0 for none.
  uint64_t foldButtonAt(QPointF position) const;
  /// Where a node stands in the widget; empty when it is not in the graph.
  QRectF rectOf(uint64_t id) const;
  /// Node or label under a position: the id of the node (of a label: of its source), 0 for none.
  uint64_t idAt(QPointF position) const;
  /// What the tip at a position says; empty for none.
  QString tipAt(QPointF position) const;
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
  /// The key A: allocations and kills as nodes, or folded again; the key W: labels of weights.
  void machineWanted();
  void weightsWanted();
  /// The view was moved, by the user or to something that is to be seen.
  void viewMoved();
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
  /// What a worker gives.
  struct Laid {
    std::shared_ptr<const LaidGraph> graph;
    std::shared_ptr<const GraphPlaces> places;
    std::string fault;  // of the model, which is empty then
  };
  void accept(const Laid& laid, bool keepView);
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
  /// Whether some of the graph is out of sight of a view of that size, which has room for an overview beside it.
  bool hasOverview(const QSizeF& room) const;
  bool overviewShown() const;
  /// The widget without the rail.
  QSizeF room() const;
  /// Of the rail where the graph is whole in sight.
  double wholeRailWidth() const;
  /// None where there is room beside the graph for the rail or the overview, and the overview is wanted.
  double railWidth() const;
  void findLit();
  /// Moves the view to a place of the overview.
  void jumpInOverview(QPointF position);
  void pressRail(QPointF position);

  Palette theme_;
  std::shared_ptr<const LaidGraph> graph_;
  struct Job;
  std::shared_ptr<Job> job_;
  QString placeholder_;
  mutable std::unordered_map<uint64_t, NodeMark> marks_;
  std::function<QString(uint64_t id)> noteOf_;
  std::unordered_map<uint64_t, NodeTint> tints_;
  std::vector<uint32_t> found_;
  QString findText_;
  std::unordered_map<uint64_t, int> hits_;
  std::vector<uint32_t> lit_;
  std::function<QString(qint64)> sizeText_;
  bool weightLabels_ = false;
  mutable std::unique_ptr<FarView> far_;
  mutable QPixmap overview_;  // drawn once for a graph with its marks
  uint64_t selected_ = 0;
  uint64_t hovered_ = 0;
  std::shared_ptr<const GraphPlaces> places_;  // of the first graph of this function that was shown
  QPointF origin_;                             // scene point at the widget's left top corner
  double scale_ = 1;
  bool fitted_ = false;  // follow the size of the widget
  bool viewMoved_ = false;
  QPointF pressAt_;
  QPointF pressOrigin_;
  enum class Drag : uint8_t { None, Pending, Pan, Overview } drag_ = Drag::None;
};

}  // namespace rx
