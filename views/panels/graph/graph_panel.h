// Dock "Graph": the dataflow of the selected function.
#pragma once

#include <set>

#include "views/canvas/layer_fold.h"
#include "views/models/document.h"
#include "views/models/place.h"
#include "views/panels/graph/graph_builder.h"
#include "views/panels/graph/graph_colours.h"
#include "views/panels/panel.h"

class QLabel;
class QLineEdit;

namespace rx {
class GraphCanvas;
}

namespace rx::views {

class GraphBar;
class GraphExport;
class GraphLegend;

class GraphPanel : public Panel {
  Q_OBJECT

 public:
  GraphPanel(const PanelContext& context, QWidget* parent);
  /// A node a line with its inputs.
  QString dump() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  bool busy() const override;
  QStringList menuCommands() const override;
  /// fit, zoomIn, zoomOut, reset, fold, unfold, machine, focus [DISTANCE], colour WORD, export PATH.
  bool command(const QString& name, const QStringList& arguments) override;
  GraphCanvas* canvas() const { return canvas_; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  /// The graph of a function, made on a worker where it is large.
  struct Built {
    FunctionGraph whole;
    std::vector<LayerRun> runs;
    FoldedGraph folded;
  };
  void showFunction();
  void build(bool keepView);
  void take(Built built, bool keepView);
  void showGraph(bool keepView);
  void showModel(bool keepView);
  void showSelection();
  void showRun();
  void activate(quint64 id);
  void enter(quint64 id);
  void contextMenu(const QPoint& position, quint64 id);
  bool writeTo(const QString& path);
  int findInside(const QString& text);
  void closeFind();
  void placeFind();
  /// The node that shows a node of the whole graph: itself, or the layer that it is folded into.
  uint64_t shownId(uint64_t id) const;
  void toggleFold(quint64 id);
  void setTheme();
  void showColours();
  bool setColour(const QString& word);
  bool setFocusDistance(int distance);
  PanelContext context_;
  GraphBar* bar_;
  GraphCanvas* canvas_;
  GraphLegend* legend_;
  GraphColour colour_ = GraphColour::Kind;
  int focus_ = 0;          // edges from the selected node that are shown; 0: the whole graph
  uint64_t focusId_ = 0;
  GraphExport* export_;
  QLineEdit* find_;
  StageIndexPtr stage_;
  QString function_;
  FunctionGraph whole_;
  bool machine_ = false;  // allocations, kills and names are shown as nodes
  std::vector<LayerRun> runs_;
  std::set<std::string> open_;  // keys of what is unfolded
  FoldedGraph folded_;
  int building_ = 0;  // number of the graph that is being made
  bool makes_ = false;
};

}  // namespace rx::views
