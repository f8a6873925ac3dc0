// The graph of real modules at every stage: who reads what, through buffers, and where the nodes stand.
#include <QLabel>
#include <QRegularExpression>
#include <algorithm>
#include <map>

#include "live_bench.h"
#include "views/canvas/graph_labels.h"
#include "views/models/outline.h"
#include "views/panels/graph/graph_bar.h"
#include "views/panels/graph/graph_panel.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

namespace {

/// Lines of `dump graph`: the first word of a node, and the first words of its inputs.
struct DumpedNode {
  QString name, line;
  QStringList inputs;
};

std::vector<DumpedNode> dumped(const QString& text) {
  std::vector<DumpedNode> nodes;
  for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
    DumpedNode node{line.section(' ', 0, 0), line, {}};
    if (const qsizetype arrow = line.indexOf("<- "); arrow >= 0)
      for (const QString& input : line.mid(arrow + 3).split(", ")) node.inputs += input.section(' ', 0, 0);
    nodes.push_back(node);
  }
  return nodes;
}

const DumpedNode* find(const std::vector<DumpedNode>& nodes, const QString& name) {
  for (const DumpedNode& node : nodes)
    if (node.name == name) return &node;
  return nullptr;
}

/// No two boxes meet, and the picture is no row and no hair.
void checkPicture(const GraphCanvas& canvas) {
  const LaidGraph& graph = *canvas.graph();
  std::vector<GraphRect> boxes;
  for (const auto* list : {&graph.layout.nodes, &graph.layout.chips})
    for (const GraphRect& box : *list)
      if (box.width > 0) boxes.push_back(box);
  for (const StubBox& stub : graph.layout.stubs) boxes.push_back(stub.box);
  std::sort(boxes.begin(), boxes.end(), [](auto& a, auto& b) { return a.y < b.y; });
  for (size_t i = 0; i < boxes.size(); ++i)
    for (size_t j = i + 1; j < boxes.size() && boxes[j].y < boxes[i].bottom(); ++j)
      QVERIFY2(!boxes[i].overlaps(boxes[j]), "two boxes of the graph overlap");
  QVERIFY2(graph.layout.size.width < graph.layout.size.height * 3,
           qPrintable(QStringLiteral("%1 x %2").arg(graph.layout.size.width).arg(graph.layout.size.height)));
}

/// A chain of residual blocks, all alike.
QByteArray residualChain(int blocks) {
  const QString tensor = "R.Tensor((1, 8, 6, 6), dtype=\"float32\")";
  QString text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x: " +
      tensor + ", w: R.Tensor((8, 8, 3, 3), dtype=\"float32\")) -> " + tensor +
      ":\n        R.func_attr({\"num_input\": 1})\n        with R.dataflow():\n";
  QString last = "x";
  for (int i = 0; i < blocks; ++i) {
    const QString n = QString::number(i), line = "            ";
    const QString out = i + 1 == blocks ? QStringLiteral("gv") : "e" + n;
    text += line + "a" + n + " = R.nn.conv2d(" + last + ", w, padding=[1, 1, 1, 1])\n";
    text += line + "b" + n + " = R.nn.relu(a" + n + ")\n";
    text += line + "c" + n + " = R.nn.conv2d(b" + n + ", w, padding=[1, 1, 1, 1])\n";
    text += line + "d" + n + " = R.add(c" + n + ", " + last + ")\n";
    text += line + out + " = R.nn.relu(d" + n + ")\n";
    last = out;
  }
  text += "            R.output(gv)\n        return gv\n";
  return text.toUtf8();
}

}  // namespace

class LiveGraphTest : public QObject {
  Q_OBJECT

  static GraphPanel* panelOf(LiveBench& bench) { return static_cast<GraphPanel*>(bench.window.panel("graph")); }
  /// Runs all passes and gives the last stage.
  static int lastStage(LiveBench& bench) {
    const int last = static_cast<int>(bench.document.steps().size()) - 1;
    return bench.does("pass.goTo", {QString::number(last)}) ? last : -1;
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// What a value is made from is the same at every stage, whoever holds it: written out for the values that keep
  /// their names until their aliases are removed.
  void valuesKeepTheirInputs() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(lastStage(bench) > 10);
    const std::map<QString, QStringList> wanted{{"scores", {"q_t", "k_t"}},     {"scaled", {"scores"}},
                                                {"shifted", {"scaled", "top"}}, {"weights", {"powers", "total"}},
                                                {"mixed", {"weights", "v_t"}},  {"result", {"gv"}}};
    for (int stage = 0; stage <= 9; ++stage) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      const auto nodes = dumped(panelOf(bench)->dump());
      for (const auto& [name, inputs] : wanted) {
        const DumpedNode* node = find(nodes, name);
        QVERIFY2(node, qPrintable(QStringLiteral("no %1 at stage %2").arg(name).arg(stage)));
        for (const QString& input : inputs)
          QVERIFY2(node->inputs.contains(input), qPrintable(QStringLiteral("stage %1: %2").arg(stage).arg(node->line)));
      }
    }
  }

  /// From CallTIRRewrite on: as many operations as before, allocations and kills in none of the lines, the storage and
  /// its bytes with each value.
  void theMachineIsFolded_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name : {"attention", "mlp", "branch", "decoder"}) QTest::newRow(name) << QString(name);
  }
  void theMachineIsFolded() {
    QFETCH(QString, sample);
    LiveBench bench;
    QVERIFY(bench.open(sample));
    QVERIFY(bench.does("select.function", {"main"}));
    const int last = lastStage(bench);
    QVERIFY(last > 10);
    for (int stage = 0; stage <= last; ++stage) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      const QString dump = panelOf(bench)->dump();
      static const QRegularExpression kMachine("alloc_|kill|null_value|shape_heap|match_shape|check_tensor|make_shape");
      QVERIFY2(!kMachine.match(dump).hasMatch(), qPrintable(QStringLiteral("stage %1\n%2").arg(stage).arg(dump)));
      for (const DumpedNode& node : dumped(dump)) {
        // Constants and parameters have no inputs; every operation of these samples has, and nothing is called "_".
        QVERIFY2(node.name != "_", qPrintable(node.line));
        if (stage >= 8 && node.line.contains(" matmul"))
          QVERIFY2(!node.inputs.isEmpty(), qPrintable(QStringLiteral("stage %1: %2").arg(stage).arg(node.line)));
      }
      checkPicture(*panelOf(bench)->canvas());
    }
  }

  void chipsSayStorageAndBytes() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("pass.goTo", {"9"}));
    static const QRegularExpression kChip("s\\d+ · [\\d., *a-z]+B");
    QVERIFY2(kChip.match(panelOf(bench)->dump()).hasMatch(), qPrintable(panelOf(bench)->dump()));
    // Asked for, the machine is there: allocations are nodes of their own, and no chips are needed.
    const size_t folded = panelOf(bench)->canvas()->graph()->model.nodes.size();
    QVERIFY(panelOf(bench)->command("machine", {}));
    QVERIFY(bench.settle());
    QVERIFY(panelOf(bench)->dump().contains("alloc_storage"));
    QVERIFY(panelOf(bench)->canvas()->graph()->model.nodes.size() > folded);
    checkPicture(*panelOf(bench)->canvas());
    QVERIFY(panelOf(bench)->command("machine", {}));
    QVERIFY(bench.settle());
    QCOMPARE(panelOf(bench)->canvas()->graph()->model.nodes.size(), folded);
  }

  /// A name, a buffer, a storage and the call that writes it are one node: whichever is selected, it has the ring.
  void foldedBindingsSelectTheirNode() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("pass.goTo", {"9"}));
    const FunctionRow* main = bench.document.stage(9)->function("main");
    const BindingRow* alias = main->bindingNamed("weights");
    QVERIFY(alias);
    QVERIFY(bench.does("select.binding", {"weights"}));
    const uint64_t node = panelOf(bench)->canvas()->selected();
    QVERIFY(node != 0);
    QCOMPARE(alias->operands.size(), size_t(1));
    QVERIFY(bench.does("select.binding", {alias->operands[0].name}));
    QCOMPARE(panelOf(bench)->canvas()->selected(), node);
  }

  /// Nodes keep their columns: a pass moves a node by less than the width of one.
  void nodesStayInTheirColumns() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    const auto places = [&] {
      std::map<std::string, double> result;
      const LaidGraph& graph = *panelOf(bench)->canvas()->graph();
      for (size_t n = 0; n < graph.model.nodes.size(); ++n)
        if (graph.layout.nodes[n].width > 0)
          result[graph.model.nodes[n].placeKey] = graph.layout.nodes[n].x + graph.layout.nodes[n].width / 2;
      return result;
    };
    const auto before = places();
    QVERIFY(bench.does("pass.goTo", {"9"}));
    const auto after = places();
    const auto middle = [](const auto& map) { return map.at("scores"); };
    int compared = 0;
    for (const auto& [key, x] : after) {
      if (!before.contains(key)) continue;
      ++compared;
      const double moved = (x - middle(after)) - (before.at(key) - middle(before));
      QVERIFY2(std::abs(moved) < 60, qPrintable(QString::fromStdString(key) + QString::number(moved)));
    }
    QVERIFY(compared > 12);
  }

  /// Blocks that come again are one node each, equal neighbours one stack; one, the same at every stage, is open as an
  /// example; a plus opens one where it stands.
  void blocksFold() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphPanel* panel = panelOf(bench);
    for (int stage : {0, 9}) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      const QString dump = panel->dump();
      QVERIFY2(dump.contains("2 × residual block"), qPrintable(dump));
      QCOMPARE(dump.count(" with projection  "), 2);
      QVERIFY2(dump.contains("lv33 ") || dump.contains("conv2d2"), qPrintable(dump));
      for (const char* name : {"layer2.1", "layer3.0 with projection", "layer3.1", "layer4.0 with projection", "head"})
        QVERIFY2(dump.contains(QStringLiteral("\n%1  ").arg(name)), qPrintable(name + dump));
      checkPicture(*panel->canvas());
    }
    const size_t folded = panel->canvas()->graph()->model.nodes.size();
    uint64_t stack = 0;
    for (const GraphNode& node : panel->canvas()->graph()->model.nodes)
      if (node.stack == 2) stack = node.id;
    QVERIFY(stack);
    Q_EMIT panel->canvas()->foldClicked(stack);
    QVERIFY(bench.settle());
    QVERIFY(panel->canvas()->graph()->model.nodes.size() > folded);
    const auto& regions = panel->canvas()->graph()->model.regions;
    QVERIFY(std::any_of(regions.begin(), regions.end(), [&](const auto& region) { return region.foldId == stack; }));
    checkPicture(*panel->canvas());
    Q_EMIT panel->canvas()->foldClicked(stack);
    QVERIFY(bench.settle());
    QCOMPARE(panel->canvas()->graph()->model.nodes.size(), folded);
    QVERIFY(panel->command("unfold", {}));
    QVERIFY(bench.settle());
    QVERIFY(!panel->dump().contains(" bindings"));
    checkPicture(*panel->canvas());
  }

  /// From afar boxes are as wide as their labels where nothing stands beside them, and lie on no other.
  void farBoxesHoldTheirLabels() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.layout", {"Debug"}));
    GraphCanvas& canvas = *panelOf(bench)->canvas();
    canvas.zoomBy(0.5 / canvas.scale());
    QVERIFY(canvas.scale() < kReadableScale);
    std::vector<uint32_t> all;
    for (uint32_t n = 0; n < canvas.graph()->model.nodes.size(); ++n)
      if (canvas.graph()->layout.nodes[n].width > 0) all.push_back(n);
    const auto drawn = [&] {
      std::vector<QRectF> boxes;
      for (const uint32_t n : all) boxes.push_back(canvas.drawnBox(n));
      return boxes;
    };
    const std::vector<QRectF> boxes = drawn();
    int wider = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const QRectF laid = canvas.rectAt(canvas.graph()->layout.nodes[all[i]]);
      QVERIFY(boxes[i].contains(laid.adjusted(0.01, 0.01, -0.01, -0.01)));
      wider += boxes[i].width() > laid.width();
      for (size_t k = 0; k < i; ++k) QVERIFY(!boxes[i].intersects(boxes[k]));
    }
    QVERIFY(wider > 5);
    // What stands in one row shows as much: none of them has the room that its neighbour needs.
    canvas.fit();
    const std::vector<QRectF> fitted = drawn();
    std::map<QString, double> widths;
    for (size_t i = 0; i < all.size(); ++i)
      widths[QString::fromStdString(canvas.graph()->model.nodes[all[i]].title)] = fitted[i].width();
    for (const char* operation : {"matmul", "heads reshape", "t permute_dims"}) {
      const QString tail = QLatin1String(operation);
      std::vector<double> row;
      for (const char* name : {"q", "k", "v"})
        row.push_back(widths.at(name + QString(tail == "matmul" ? " " : "_") + tail));
      QVERIFY2(*std::ranges::max_element(row) - *std::ranges::min_element(row) < 8, operation);
    }
    // Beside the buttons there is room for a number and what it counts, or for nothing.
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}));
    const auto summary = [&](const QString& text) {
      const auto labels = panelOf(bench)->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == text; });
    };
    bench.window.resize(1600, 1000);
    QVERIFY(bench.settle());
    QTRY_VERIFY(summary("59 bindings"));
    bench.window.resize(2400, 1000);
    QVERIFY(bench.settle());
    QTRY_VERIFY(summary("43 of 59 bindings in the edges"));
  }

  /// What a run could not start with is marked where it goes in, until a run starts.
  void whatDoesNotFitIsMarked() {
    LiveBench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("select.function", {"f"}));
    const GraphCanvas& canvas = *panelOf(bench)->canvas();
    const auto isWrong = [&](const char* name) {
      for (const GraphNode& node : canvas.graph()->model.nodes)
        if (node.title == name) return canvas.mark(node.id) && canvas.mark(node.id)->error;
      return false;
    };
    bench.window.run("debug.start", {"f", "inputs=" + kSamples + "dynamic/inputs_mismatch.npz"});
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.failure());
    QTRY_VERIFY(isWrong("y"));
    QVERIFY(!isWrong("x"));
    // In the text too: what is given beside the parameters is said of the function by its name.
    const auto* text = bench.window.panel("ir")->findChild<TextView*>();
    QStringList marked;
    for (const Squiggle& squiggle : text->decorations().squiggles)
      marked << QString::fromStdString(
          std::string(text->buffer()->text().substr(squiggle.begin, squiggle.end - squiggle.begin)));
    QCOMPARE(marked.join(' '), QString("f y"));
    QVERIFY(bench.does("debug.start", {"f", "stop=none"}));
    QTRY_VERIFY(!isWrong("y"));
  }

  void equalLayersAreAStack() {
    LiveBench bench;
    QVERIFY(bench.open("decoder"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("graph.fold"));
    QVERIFY2(panelOf(bench)->dump().contains("2 × "), qPrintable(panelOf(bench)->dump()));
    QVERIFY(bench.open("attention"));  // nothing comes again
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY2(!panelOf(bench)->dump().contains(" bindings"), qPrintable(panelOf(bench)->dump()));
  }

  /// Hundreds of bindings, thousands of instructions: folded they are a handful of nodes at every stage; all of them
  /// are laid out off the thread, soon, in a column and not in a row.
  void aLongChainOfBlocks() {
    constexpr int kBlocks = 80;
    QTemporaryDir folder;
    const QString file = folder.filePath("chain.py");
    QVERIFY(write(file, residualChain(kBlocks)));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphPanel* panel = panelOf(bench);
    const auto longestStack = [&](int stage) {
      const FunctionRow& main = *bench.document.stage(stage)->function("main");
      size_t longest = 0;
      for (size_t row = 0; row < main.outline.size(); ++row) longest = std::max(longest, stackFrom(main, row));
      return longest;
    };
    const size_t stacked = longestStack(0);
    for (int stage : {0, 4, 8, 9, 15}) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      QCOMPARE(longestStack(stage), stacked);  // as the graph has it, whatever the machine does between
      QVERIFY2(panel->dump().contains(" × residual block"), qPrintable(panel->dump().left(2000)));
      QVERIFY(panel->canvas()->graph()->model.nodes.size() < 20);
      checkPicture(*panel->canvas());
    }
    QElapsedTimer timer;
    timer.start();
    QVERIFY(panel->command("unfold", {}));
    QVERIFY2(timer.elapsed() < 100, "the layout holds up the window");
    QVERIFY(bench.settle());
    qInfo("%zu nodes laid out in %lld ms", panel->canvas()->graph()->model.nodes.size(), timer.elapsed());
    QVERIFY(panel->canvas()->graph()->model.nodes.size() >= kBlocks * 5);
    QVERIFY(timer.elapsed() < 3000);
    checkPicture(*panel->canvas());
  }

  /// A kernel that the machine calls with sizes goes by its own name, and what is taken out of the tuple of results
  /// again by the name that it had.
  void kernelsOfSizesAndResults() {
    QTemporaryDir folder;
    const QString file = folder.filePath("two_sizes.py");
    QVERIFY(write(file,
                  "@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((\"n\", 4), \"float32\"), y: R.Tensor((\"m\", 4), \"float32\")):\n"
                  "        n = T.int64()\n        m = T.int64()\n        with R.dataflow():\n"
                  "            joined = R.concat((x, y), axis=0)\n            turned = R.permute_dims(joined)\n"
                  "            low = R.exp(turned)\n            both = (low, joined)\n"
                  "            R.output(both)\n        return both\n"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("pass.goTo", {"16"}));
    QVERIFY(bench.window.dump("ir").contains("call_tir_dyn"));
    const QString graph = bench.window.dump("graph");
    QVERIFY2(!graph.contains("call_tir_dyn"), qPrintable(graph));
    for (const char* name : {"joined concatenate", "turned transpose", "low tir_exp"})
      QVERIFY2(graph.contains(name), qPrintable(graph));
  }

  void coloursAndNeighbourhood() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphCanvas* canvas = panelOf(bench)->canvas();
    const auto notes = [&] {
      QStringList list;
      for (const GraphNode& node : canvas->graph()->model.nodes)
        if (const NodeTint* tint = canvas->tint(node.id); tint && !tint->note.isEmpty()) list << tint->note;
      return list;
    };
    QVERIFY(bench.does("graph.colour", {"memory"}));
    QVERIFY2(!notes().filter("B").isEmpty(), qPrintable(notes().join(' ')));
    QVERIFY(!bench.does("graph.colour", {"taste"}));
    QVERIFY(bench.does("graph.colourKind"));
    QVERIFY(notes().isEmpty());
    // A pass that changes nothing leaves no node in another colour than the rest; LegalizeOps changes them.
    QVERIFY(bench.does("graph.colour", {"change"}));
    const auto fills = [&] {
      std::set<QRgb> colours;
      for (const GraphNode& node : canvas->graph()->model.nodes)
        if (const NodeTint* tint = canvas->tint(node.id)) colours.insert(tint->fill.rgb());
      return colours.size();
    };
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QCOMPARE(fills(), size_t(1));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(fills() > 1);
    // Near the selection: fewer nodes, the selected one among them; asked again, all.
    const size_t all = canvas->graph()->model.nodes.size();
    const FunctionRow* main = bench.document.stage(4)->function("main");
    QVERIFY(bench.does("select.binding", {main->bindings[main->bindings.size() / 2].name}));
    QVERIFY(bench.does("graph.focus", {"1"}));
    QVERIFY(canvas->graph()->model.nodes.size() < all);
    QVERIFY(canvas->graph()->indexOf.contains(canvas->selected()));
    QVERIFY(bench.does("graph.focus"));
    QCOMPARE(canvas->graph()->model.nodes.size(), all);
  }

  void firstSightIsFitted() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphCanvas* canvas = panelOf(bench)->canvas();
    const auto whole = [&] {
      for (const GraphNode& node : canvas->graph()->model.nodes)
        if (const QRectF at = canvas->rectOf(node.id); !at.isEmpty() && !QRectF(canvas->rect()).contains(at))
          return false;
      return true;
    };
    QVERIFY(whole());
    QVERIFY(bench.does("pass.goTo", {"9"}));
    QVERIFY(whole());
    // The user's own view stays.
    canvas->zoomBy(3);
    const double chosen = canvas->scale();
    QVERIFY(bench.does("pass.goTo", {"8"}));
    QCOMPARE(canvas->scale(), chosen);
  }

  /// Where a run stops no node beside the one that is looked at is cut while the labels of all can be read.
  void aStopCutsNoNode() {
    for (const char* sample : {"attention_fp16", "relay_passes/basic_blocks.relay", "mlp"}) {
      LiveBench bench;
      QVERIFY(bench.open(sample) && bench.does("select.function", {"main"}));
      QVERIFY(bench.does("debug.start", {"main", "seed=1"}) && bench.does("debug.stepOver", {"3"}));
      QCOMPARE(bench.window.layoutName(), QString("Debug"));
      const GraphCanvas& canvas = *panelOf(bench)->canvas();
      for (const GraphNode& node : canvas.graph()->model.nodes) {
        const QRectF at = canvas.rectOf(node.id);
        if (at.isEmpty()) continue;
        QVERIFY2(at.left() >= 0 && at.right() <= canvas.viewRect().right(),
                 qPrintable(QStringLiteral("%1 %2").arg(sample, QString::fromStdString(node.title))));
      }
    }
  }

  /// At a stop the value that was just made and what runs next are whole, where there is room for both.
  void aStopShowsBothEnds() {
    LiveBench bench;
    QVERIFY(bench.open("tree_lstm") && bench.does("debug.start", {"main"}));
    const auto* canvas = bench.window.panel("graph")->findChild<GraphCanvas*>();
    int both = 0;
    for (int step = 0; step < 6; ++step) {
      QVERIFY(bench.does("debug.stepOver"));
      const QRectF made = canvas->rectOf(canvas->selected()), view = canvas->viewRect();
      uint64_t next = 0;
      for (const GraphNode& node : canvas->graph()->model.nodes)
        if (const NodeMark* mark = canvas->mark(node.id); mark && mark->current) next = node.id;
      const QRectF runs = canvas->rectOf(next), whole = made.united(runs);
      if (!made.isValid() || !runs.isValid() || whole.width() + 8 > view.width() || whole.height() + 8 > view.height())
        continue;
      ++both;
      QVERIFY2(view.contains(whole), qPrintable(bench.selection.place().variable));
    }
    QVERIFY(both > 1);
  }

  /// A graph that nobody sees costs nothing while passes are stepped; who asks gets the stage of that moment.
  void aHiddenGraphIsNotMade() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("view.closePanel", {"graph"}));
    const QString before = panelOf(bench)->dump();
    QVERIFY(before.contains("permute_dims"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QCOMPARE(panelOf(bench)->dump(), before);
    QVERIFY(panelOf(bench)->busy());
    const QString asked = bench.window.dump("graph");
    QVERIFY2(asked.contains("transpose1") && !asked.contains("permute_dims"), qPrintable(asked));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.does("view.panel", {"graph"}));
    QCOMPARE(panelOf(bench)->dump(), before);
  }

  /// Where NaN are made at several places the first is the root, and the others are marked as bad like all behind them.
  void oneRootIsNamed() {
    QTemporaryDir folder;
    LiveBench bench;
    const QString file = folder.filePath("two_roots.py");
    QVERIFY(write(file,
                  "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((8,), \"float32\")):\n"
                  "        square = R.multiply(x, x)\n        below = R.negative(square)\n"
                  "        one = R.sqrt(below)\n        other = R.log(below)\n        both = R.add(one, other)\n"
                  "        return both\n"));
    QVERIFY(bench.does("file.open", {file}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    int bad = 0;
    for (const DumpedNode& node : dumped(bench.window.dump("graph"))) {
      QCOMPARE(node.line.contains("  root"), node.name == "one");
      bad += node.line.contains("  error");
    }
    QCOMPARE(bad, 3);
  }

  /// What a run made is counted in the tree, and the graph says in a word where it began; both know what runs next.
  void runIsMarked() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16") && bench.does("select.function", {"main"}));
    const GraphCanvas& canvas = *panelOf(bench)->canvas();
    QVERIFY(bench.does("debug.start", {"main", "stop=entry"}));
    QVERIFY(bench.does("select.binding", {"weights"}) && bench.does("debug.condition", {"nan(weights) > 0"}));
    QVERIFY(!bench.window.dump("module").contains("Inf"));
    QVERIFY(bench.does("debug.continue"));
    const QStringList rows = bench.window.dump("module").split('\n');
    QVERIFY(rows.contains("    scores\t3 Inf"));
    QVERIFY(rows.contains("    shifted\t3 NaN, 15 Inf"));
    QVERIFY(rows.contains("    mixed\t\tnext"));
    QVERIFY(rows.contains("    q"));
    int roots = 0;
    for (const DumpedNode& node : dumped(bench.window.dump("graph"))) {
      QCOMPARE(node.line.contains("  root"), node.name == "scores");
      roots += node.line.contains("  root");
    }
    QCOMPARE(roots, 1);
    // From where the run stopped first the labels of the nodes can be read; who then wants all in sight keeps it.
    QVERIFY(canvas.scale() >= kLegibleScale);
    QVERIFY(bench.does("view.layout", {"Read"}) && bench.does("view.layout", {"Debug"}));
    QVERIFY2(canvas.scale() >= kLegibleScale, "where it stands can not be read any more");
    // Every kind is explained, in as many rows as it takes.
    const auto* legend = panelOf(bench)->findChild<GraphLegend*>();
    QVERIFY(legend->heightForWidth(200) > legend->heightForWidth(1000));
    QVERIFY(legend->height() >= legend->heightForWidth(legend->width()));
    QVERIFY(bench.does("graph.fit"));
    const double whole = canvas.scale();
    QVERIFY(bench.does("debug.stepOver"));
    QCOMPARE(canvas.scale(), whole);
    QVERIFY(bench.does("debug.stop") && bench.does("file.reload"));
    QVERIFY(!bench.window.dump("graph").contains("root"));
  }
};

QTEST_MAIN(LiveGraphTest)
#include "tst_live_graph.moc"
