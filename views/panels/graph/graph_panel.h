// Dock "Graph": the dataflow of the selected function.
#pragma once

#include <set>

#include "core/support/cancel.h"
#include "views/models/document.h"
#include "views/models/place.h"
#include "views/models/search.h"
#include "views/panels/graph/graph_colours.h"
#include "views/panels/panel.h"

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
  ~GraphPanel() override;
  /// A node a line with its inputs.
  QString dump() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  bool busy() const override;
  QStringList menuCommands() const override;
  /// fit, zoomIn, zoomOut, reset, fold, unfold, machine, weights, focus [DISTANCE], colour WORD, compare [STAGE],
  /// export PATH. `compare` colours what differs from a stage whatever the window compares; without one it ends that.
  bool obey(const QString& name, const QStringList& arguments) override;
  GraphCanvas* canvas() const { return canvas_; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void catchUp(unsigned parts) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  /// The graph of a function with its blocks; shared with workers.
  struct Whole {
    FunctionGraph graph;
    std::vector<LayerRun> runs;
  };
  using WholePtr = std::shared_ptr<const Whole>;
  /// What a worker makes of it.
  struct Built {
    WholePtr whole;
    FoldedGraph folded;
    GraphModel drawn;
    std::string example = {};  // key of the block that was unfolded as one; empty for none
  };
  /// What a graph is made from besides the function.
  struct Wish {
    std::set<std::string> open;  // keys of what is unfolded
    bool example = false;        // one block is unfolded as an example
    bool machine = false;        // allocations, kills and names are shown as nodes
    int focus = 0;               // edges from the node `focusId` that are shown; 0: the whole graph
    uint64_t focusId = 0;
    SymbolSizes sizes;         // of what is sized by symbols
    StageIndexPtr first = {};  // the imported stage, which says what the example is
  };
  void connectSession();
  const FunctionRow* function() const;
  bool isLarge() const;
  void showTitle();
  void showFunction();
  QString placeholder() const;
  static Built made(const StageIndex& stage, const QString& function, const Wish& wish, WholePtr known);
  /// `anew` where the nodes themselves are others, not only their folding.
  void build(bool keepView, bool anew);
  void take(Built built, bool keepView);
  void showSelection();
  void showRun();
  void approachStop();
  void showSizes();
  void showColours();
  void askTimes();
  void compareStages();
  void showLit();
  void takeLit(std::vector<SearchHit> hits);
  void showHits();
  void showSummary();
  void activate(quint64 id);
  void enter(quint64 id);
  void contextMenu(const QPoint& position, quint64 id);
  bool writeTo(const QString& path);
  int findInside(const QString& text);
  void closeFind();
  void placeFind();
  /// The node that shows a node of the whole graph: itself, or the layer that it is folded into; 0 for none.
  uint64_t shownId(uint64_t id) const;
  void toggleFold(quint64 id);
  void setTheme();
  bool setColour(const QString& word);
  bool setCompared(const QStringList& arguments);
  bool setFocusDistance(int distance);
  PanelContext context_;
  GraphBar* bar_;
  GraphCanvas* canvas_;
  GraphLegend* legend_;
  GraphExport* export_;
  QLineEdit* find_;
  StageIndexPtr stage_;
  QString function_;
  Wish wish_;
  WholePtr whole_;
  FoldedGraph folded_;
  int building_ = 0;  // number of the graph that is being made
  bool makes_ = false;
  bool approached_ = false;  // where the run that is shown stopped first
  bool wholeAsked_ = false;  // the whole graph was asked for since
  uint64_t stopsAt_ = 0;     // the node that runs next; 0 for none
  GraphColour colour_ = GraphColour::Kind;
  int compared_ = -1;  // the stage that `compare` named
  NodeChanges changes_;
  StageIndexPtr changesFrom_, changesTo_;  // that `changes_` were found, or are being found, between
  WholePtr changesOf_;
  BindingTimes times_;  // of the run, of the function `timesOf_`
  QString timesOf_;
  int timing_ = 0;  // number of the question for them
  bool asksTimes_ = false;
  int comparing_ = 0;  // number of the comparison that is being made
  bool compares_ = false;
  std::unordered_map<uint64_t, int> hits_;  // nodes of the whole graph that the lit search found
  CancelToken litCancel_;
  int lighting_ = 0;
  bool lights_ = false;
};

}  // namespace rx::views
