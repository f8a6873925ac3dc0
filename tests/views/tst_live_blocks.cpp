// Blocks have names, and weights stand beside the graph: what a network that was opened is read by.
#include "live_bench.h"
#include "networks.h"
#include "views/canvas/weight_rail.h"
#include "views/models/outline.h"
#include "views/models/tensor_type.h"
#include "views/panels/graph/graph_panel.h"
#include "views/panels/ir_text/head_weights.h"
#include "views/panels/ir_text/stage_links.h"
#include "views/panels/results/results_panel.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

namespace {

GraphPanel& graphOf(LiveBench& bench) { return *static_cast<GraphPanel*>(bench.window.panel("graph")); }

bool openText(LiveBench& bench, const QTemporaryDir& folder, const QByteArray& text) {
  const QString file = folder.filePath("network.py");
  return write(file, text) && bench.does("file.open", {file}) && bench.does("select.function", {"main"}) &&
         bench.does("view.panel", {"graph"});
}

QStringList blockNames(LiveBench& bench) {
  QStringList names;
  for (const OutlineRow& row : bench.document.stage(bench.selection.place().stage)->function("main")->outline)
    names << row.name;
  return names;
}

QStringList resNet50Names() {
  QStringList names{"stem"};
  const int counts[] = {3, 4, 6, 3};
  for (int group = 0; group < 4; ++group)
    for (int i = 0; i < counts[group]; ++i) names << QStringLiteral("layer%1.%2").arg(group + 1).arg(i);
  return names << "head";
}

const GraphNode* nodeTitled(const GraphCanvas& canvas, const QString& title) {
  for (const GraphNode& node : canvas.graph()->model.nodes)
    if (QString::fromStdString(node.title) == title) return &node;
  return nullptr;
}

/// Bytes of all parameters behind the first.
qint64 weightsOf(const FunctionRow& function) {
  qint64 sum = 0;
  for (size_t p = 1; p < function.params.size(); ++p)
    sum += tensorSize(function.params[p].shape, function.params[p].dtype).bytes;
  return sum;
}

}  // namespace

class LiveBlocksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// With the names that exporters give to weights, and with names that say nothing, a residual network reads the same,
  /// imported and lowered.
  void residualNetworks_data() {
    QTest::addColumn<bool>("named");
    QTest::newRow("names of weights") << true;
    QTest::newRow("structure") << false;
  }
  void residualNetworks() {
    QFETCH(bool, named);
    QTemporaryDir folder;
    LiveBench bench;
    QVERIFY(openText(bench, folder, ResNetText(named).write({3, 4, 6, 3})));
    QCOMPARE(blockNames(bench), resNet50Names());
    QVERIFY(bench.does("pass.goTo", {"9"}));
    QCOMPARE(blockNames(bench), resNet50Names());
    const QString dump = graphOf(bench).dump();
    QVERIFY2(dump.contains("layer2.0 with projection"), qPrintable(dump));
    QVERIFY2(dump.contains("3 × residual block") && dump.contains("layer2.1 … layer2.3"), qPrintable(dump));
  }

  /// A cell that reads the same weights in each step is a step of a recurrence: nothing in it adds to its own input
  /// what it makes of that. Its kernels, numbered anew for each offset, are the same in each step.
  void recurrentSteps() {
    constexpr int kSteps = 6;
    QByteArray lines, h = "h0", c = "c0";
    const auto bind = [&lines](const QByteArray& name, const QByteArray& value) {
      lines += "            " + name + " = " + value + "\n";
      return name;
    };
    for (int step = 0; step < kSteps; ++step) {
      const QByteArray i = QByteArray::number(step), next = QByteArray::number(step + 1);
      bind("x" + i, "R.strided_slice(x, axes=[0], begin=[" + i + "], end=[" + next + "])");
      bind("t" + i, "R.squeeze(x" + i + ", axis=[0])");
      bind("u" + i, "R.matmul(t" + i + ", w_ih)");
      bind("v" + i, "R.matmul(" + h + ", w_hh)");
      bind("s" + i, "R.add(u" + i + ", v" + i + ")");
      bind("g" + i, "R.split(s" + i + ", indices_or_sections=3, axis=1)");
      const char* functions[] = {"sigmoid", "tanh", "sigmoid"};
      for (int gate = 0; gate < 3; ++gate) {
        const QByteArray k = i + "_" + QByteArray::number(gate);
        bind("f" + k, "g" + i + "[" + QByteArray::number(gate) + "]");
        bind("a" + k, QByteArray("R.") + functions[gate] + "(f" + k + ")");
      }
      bind("m" + i, "R.multiply(a" + i + "_0, " + c + ")");
      bind("n" + i, "R.multiply(a" + i + "_0, a" + i + "_1)");
      c = bind("c" + next, "R.add(m" + i + ", n" + i + ")");
      bind("o" + i, "R.tanh(" + c + ")");
      h = bind("h" + next, "R.multiply(a" + i + "_2, o" + i + ")");
    }
    QTemporaryDir folder;
    LiveBench bench;
    QVERIFY(openText(bench, folder,
                     "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((6, 1, 8), "
                     "dtype=\"float32\"), h0: R.Tensor((1, 4), dtype=\"float32\"), c0: R.Tensor((1, 4), "
                     "dtype=\"float32\"), w_ih: R.Tensor((8, 12), dtype=\"float32\"), w_hh: R.Tensor((4, 12), "
                     "dtype=\"float32\")):\n        R.func_attr({\"num_input\": 3})\n        with R.dataflow():\n" +
                         lines + "            R.output(" + h + ")\n        return " + h + "\n"));
    for (const char* stage : {"0", "4", "9"}) {
      QVERIFY(bench.does("pass.goTo", {stage}) && bench.does("graph.fold"));
      const QString dump = graphOf(bench).dump();
      QVERIFY2(dump.contains("6 × recurrent step"), qPrintable(dump));
      QCOMPARE(blockNames(bench).first(), QString("steps.0"));
      QCOMPARE(blockNames(bench).size(), qsizetype(kSteps));
    }
  }

  void decoderLayers() {
    LiveBench bench;
    QVERIFY(bench.open("decoder"));
    QVERIFY(bench.does("select.function", {"main"}));
    const QStringList names = blockNames(bench);
    QVERIFY2(names.contains("layers.0") && names.contains("layers.1"), qPrintable(names.join(' ')));
    // A pass changes what a layer looks like, not what it is called.
    const auto kinds = [&](int stage) {
      QStringList all;
      for (const OutlineRow& row : bench.document.stage(stage)->function("main")->outline) all << row.kind;
      return all;
    };
    const QStringList first = kinds(0);
    QVERIFY(first.contains("layer"));
    for (int stage : {4, 9, 15}) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      QVERIFY2(kinds(stage) == first, qPrintable(QStringLiteral("%1: %2").arg(stage).arg(kinds(stage).join(", "))));
      QVERIFY(bench.does("graph.fold"));
      QVERIFY2(graphOf(bench).dump().contains("2 × layer"), qPrintable(graphOf(bench).dump().left(2000)));
      QCOMPARE(blockNames(bench), names);
    }
    // Where nothing comes again there is no stem of anything.
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(blockNames(bench).isEmpty());
  }

  /// The first layer reads what comes into the function where the others read the layer before: it is one of them.
  void theFirstLayerReadsTheInput() {
    QTemporaryDir folder;
    LiveBench bench;
    QByteArray parameters, lines;
    QByteArray x = "x";
    const QByteArray type = "R.Tensor((2, 8), dtype=\"float32\")", weight = "R.Tensor((8, 8), dtype=\"float32\")";
    constexpr int kLayers = 6;
    for (int layer = 0; layer < kLayers; ++layer) {
      const QByteArray i = QByteArray::number(layer);
      const auto bind = [&](const QByteArray& name, const QByteArray& value) {
        lines += "        " + name + i + ": " + type + " = " + value + "\n";
        return name + i;
      };
      parameters += ", blk_" + i + "_up: " + weight + ", blk_" + i + "_down: " + weight;
      const QByteArray up = bind("up", "R.matmul(" + x + ", blk_" + i + "_up)");
      const QByteArray gate = bind("gate", "R.sigmoid(" + up + ")");
      const QByteArray both = bind("both", "R.multiply(" + up + ", " + gate + ")");
      const QByteArray down = bind("down", "R.matmul(" + both + ", blk_" + i + "_down)");
      x = bind("out", "R.add(" + x + ", " + down + ")");
    }
    QVERIFY(openText(bench, folder,
                     "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: " + type + parameters + ") -> " +
                         type + ":\n" + lines + "        return " + x + "\n"));
    QStringList names;
    for (int layer = 0; layer < kLayers; ++layer) names << QStringLiteral("blk.%1").arg(layer);
    QCOMPARE(blockNames(bench), names);
    // The first is open as an example; the others stay a stack, in the graph and in the text.
    QVERIFY2(graphOf(bench).dump().contains("5 × residual block"), qPrintable(graphOf(bench).dump()));
    QStringList titles;
    for (const FoldRegion& region : stageBlocks(*bench.document.stage(0))) titles << region.title;
    QVERIFY2(
        titles.contains("6 × residual block, blk.0 … blk.5") && titles.contains("5 × residual block, blk.1 … blk.5"),
        qPrintable(titles.join('|')));
    QVERIFY(bench.does("graph.fold"));
    QVERIFY2(graphOf(bench).dump().contains("6 × residual block"), qPrintable(graphOf(bench).dump()));
  }

  /// Graph and text fold the same blocks, but for one that is like none beside it: it is open as an example, until
  /// somebody unfolds all of the text.
  void oneBlockIsOpen() {
    QTemporaryDir folder;
    LiveBench bench;
    QVERIFY(openText(bench, folder, ResNetText(false).write({2, 2})));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const OutlineRow* example = exampleBlock(*main);
    QVERIFY(example && !example->kind.isEmpty());
    const auto* view = bench.window.panel("ir")->findChild<TextView*>();
    const auto folded = [&] {
      QStringList names;
      for (const OutlineRow& row : main->outline)
        if (view->isFolded(static_cast<uint32_t>(main->bindings[static_cast<size_t>(row.first)].line - 1)))
          names << row.name;
      return names;
    };
    QStringList others = blockNames(bench);
    others.removeOne(example->name);
    QCOMPARE(folded(), others);
    const GraphCanvas& canvas = *graphOf(bench).canvas();
    for (const GraphNode& node : canvas.graph()->model.nodes)
      QVERIFY(node.count <= 1 || !QString::fromStdString(node.title).startsWith(example->name));
    // Weights are counted in the head, where types are written short.
    const QString head = QString::fromUtf8(bench.document.stage(0)->line(main->headLine));
    QVERIFY(main->params.size() > 9);
    bench.window.resize(1000, 700);
    QVERIFY(bench.settle());
    const auto counted = weightsOfHead(*bench.document.stage(0), head.toStdString());
    QCOMPARE(counted.size(), size_t(1));
    QCOMPARE(counted[0].text, QStringLiteral(", … %1 weights").arg(main->params.size() - 1));
    QVERIFY(head.mid(counted[0].end).startsWith(") -> "));
    QVERIFY(weightsOfHead(*bench.document.stage(0), "def main(x").empty());
    QVERIFY(weightsOfHead(*bench.document.stage(0), "def other(x, y):").empty());
    QVERIFY(bench.does("edit.unfoldText") && folded().isEmpty());
    QVERIFY(bench.does("pass.goTo", {"1"}));
    main = bench.document.stage(1)->function("main");
    QVERIFY(folded().isEmpty());
  }

  /// Where all are alike the first of them is the example: it is open in its stack, in the graph and in the text.
  void oneOfAStackIsOpen() {
    LiveBench bench;
    QVERIFY(bench.open("decoder") && bench.does("select.function", {"main"}));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const OutlineRow* example = exampleBlock(main);
    QVERIFY(example);
    QCOMPARE(example->name, QString("layers.0"));
    QStringList regions, nodes;
    const GraphModel& drawn = graphOf(bench).canvas()->graph()->model;
    for (const GraphRegion& region : drawn.regions) regions << QString::fromStdString(region.title);
    for (const GraphNode& node : drawn.nodes) nodes << QString::fromStdString(node.title);
    QVERIFY2(regions.filter("layers.0").size() == 1, qPrintable(regions.join('|')));
    QVERIFY2(nodes.contains("layers.1") && !nodes.contains("layers.0"), qPrintable(nodes.join('|')));
    const auto* view = bench.window.panel("ir")->findChild<TextView*>();
    const auto header = [&](const OutlineRow& row) {
      return static_cast<uint32_t>(main.bindings[static_cast<size_t>(row.first)].line - 1);
    };
    QVERIFY(!view->isFolded(header(*example)) && view->isFolded(header(*(example + 1))));
  }

  /// A stack of the graph is one line of the text too, by the same words; opened it shows its blocks.
  void stacksFoldInTheText() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18") && bench.does("select.function", {"main"}));
    QVERIFY2(graphOf(bench).dump().contains("2 × residual block"), qPrintable(graphOf(bench).dump()));
    const StageIndexPtr stage = bench.document.stage(0);
    const FunctionRow& main = *stage->function("main");
    size_t first = 0;
    while (stackFrom(main, first) < 2) ++first;
    QCOMPARE(main.outline[first].name, QString("layer1.0"));
    QCOMPARE(stackFrom(main, first), size_t(2));
    QCOMPARE(stackFrom(main, first + 1), size_t(1));
    QStringList titles;
    uint32_t header = 0, head = 1;
    for (const FoldRegion& region : stageBlocks(*stage)) {
      if (!region.title.isEmpty()) titles << region.title;
      if (region.title.startsWith("2 × ")) header = region.header;
      if (region.header == 0) head = region.last;
    }
    QVERIFY2(titles.contains("2 × residual block, layer1.0 … layer1.1"), qPrintable(titles.join('|')));
    QVERIFY(!titles.contains("layer1.0, residual block") && titles.contains("layer1.1, residual block"));
    QCOMPARE(head, 2U);  // two comments and a blank line, before the module
    auto* view = bench.window.panel("ir")->findChild<TextView*>();
    QVERIFY(view->isFolded(0) && view->isFolded(header));
    view->setFolded(header, false);
    const auto last = static_cast<uint32_t>(main.bindings[static_cast<size_t>(main.outline[first + 1].first)].line - 1);
    QVERIFY(view->isFolded(last));
  }

  /// Fields that nobody takes stand behind the line before them, until somebody goes to one.
  void idleFieldsFold() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18") && bench.does("select.function", {"main"}));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const OutlineRow* example = exampleBlock(main);
    QVERIFY(example);
    QVERIFY2(bench.window.dump("inspector").contains("(1, 1000) f32"), qPrintable(bench.window.dump("inspector")));
    const auto* view = bench.window.panel("ir")->findChild<TextView*>();
    const auto isIdle = [&](const BindingRow& row) { return row.label == "item" && row.usedBy.empty(); };
    QString hidden;
    uint32_t header = 0;
    for (int b = example->first + 1; b <= example->last; ++b) {
      const BindingRow& row = main.bindings[static_cast<size_t>(b)];
      const BindingRow& before = main.bindings[static_cast<size_t>(b - 1)];
      if (isIdle(before)) continue;
      QCOMPARE(view->isFolded(static_cast<uint32_t>(before.line - 1)), isIdle(row));
      if (isIdle(row)) hidden = row.name, header = static_cast<uint32_t>(before.line - 1);
    }
    QVERIFY(!hidden.isEmpty());
    QVERIFY(bench.does("select.binding", {hidden}));
    QVERIFY(!view->isFolded(header));
    // A function that comes behind others is shown with what is in it.
    QVERIFY(bench.does("select.function", {"main"}) && bench.does("pass.goTo", {"LegalizeOps"}));
    const int head = bench.document.stage(4)->function("main")->headLine;
    const QRect shown = view->lineRect(static_cast<uint32_t>(head - 1));
    QVERIFY2(shown.top() >= 0 && shown.bottom() < view->viewport()->height() / 2,
             qPrintable(QString::number(shown.top())));
  }

  /// The same names in the tree, the status bar, and the search.
  void namesEverywhere() {
    QTemporaryDir folder;
    LiveBench bench;
    QVERIFY(openText(bench, folder, ResNetText(false).write({2, 2})));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const OutlineRow* block = nullptr;
    for (const OutlineRow& row : main.outline)
      if (row.name == "layer2.0") block = &row;
    QVERIFY(block);
    QVERIFY(bench.window.panel("module")->dump().contains("layer2.0"));
    QVERIFY(bench.does("select.binding", {main.bindings[static_cast<size_t>(block->first) + 1].name}));
    QVERIFY2(bench.window.statusText().contains("main · layer2.0 · "), qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("search.find", {"@layer2.0"}));
    const auto& hits = static_cast<ResultsPanel*>(bench.window.panel("results"))->hits();
    QCOMPARE(hits.size(), size_t(1));
    QCOMPARE(hits[0].title, QString("layer2.0"));
    QVERIFY(bench.does("search.next"));
    QCOMPARE(bench.selection.place().binding, block->first);
    // A block that is nowhere is not found.
    QVERIFY(bench.does("search.find", {"@layer9.0"}));
    QVERIFY(hits.empty());
  }

  /// Where no num_input of the function says which parameters are weights, that they are is no fact.
  void likelyWeights() {
    QTemporaryDir folder;
    LiveBench bench;
    QByteArray text = ResNetText(false).write({2, 2});
    text.replace("        R.func_attr({\"num_input\": 1})\n", "");
    QVERIFY(openText(bench, folder, text) && bench.does("select.function", {"main"}));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    QCOMPARE(main->numInput, -1);
    const QString head = QString::fromUtf8(bench.document.stage(0)->line(main->headLine));
    const auto counted = weightsOfHead(*bench.document.stage(0), head.toStdString());
    QCOMPARE(counted.size(), size_t(1));
    QCOMPARE(counted[0].text, QStringLiteral(", … %1 likely weights").arg(main->params.size() - 1));
    const QString guessed = QStringLiteral("the other %1 are likely weights").arg(main->params.size() - 1);
    QVERIFY2(bench.window.dump("inspector").contains(guessed), qPrintable(bench.window.dump("inspector")));
  }

  /// Weights are no nodes: each block has the sum of its own, the rail has the sum of all.
  void weightsStandInTheRail() {
    QTemporaryDir folder;
    LiveBench bench;
    QVERIFY(openText(bench, folder, ResNetText(true).write({2, 2})));
    bench.window.resize(1600, 1000);
    QVERIFY(bench.settle());
    GraphCanvas& canvas = *graphOf(bench).canvas();
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    QCOMPARE(canvas.graph()->weightBytes, weightsOf(main));
    for (size_t n = 0; n < canvas.graph()->model.nodes.size(); ++n)
      if (canvas.graph()->model.nodes[n].stubOnly) QVERIFY(canvas.graph()->layout.nodes[n].width <= 0);
    QVERIFY(canvas.graph()->layout.stubs.empty());
    const GraphNode* block = nodeTitled(canvas, "layer2.1");
    QVERIFY(block);
    qint64 sum = 0;
    for (const GraphWeight& weight : block->weights) {
      QVERIFY2(weight.name.starts_with("layer2_1_"), weight.name.c_str());
      sum += weight.bytes;
    }
    QCOMPARE(block->weights.size(), size_t(15));  // three convolutions, three norms of four
    QVERIFY(canvas.railRect().isValid());
    QVERIFY(!canvas.viewRect().intersects(canvas.railRect()));
    bool found = false;
    for (const RailRow& row : railRows(canvas)) {
      if (row.nodes.size() != 1 || canvas.graph()->model.nodes[row.nodes[0]].id != block->id) continue;
      found = true;
      QCOMPARE(row.bytes, sum);
      QVERIFY2(railTip(canvas, row).contains("layer2_1_conv2_weight (128, 128, 3, 3) f32"),
               qPrintable(railTip(canvas, row)));
      // A row of the rail is its node.
      QTest::mouseClick(&canvas, Qt::LeftButton, {}, row.rect.center().toPoint());
      QCOMPARE(canvas.selected(), block->id);
    }
    QVERIFY(found);
  }

  /// In full on request: a label with name, shape and bytes at each operation that is shown.
  void weightsInFull() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphCanvas& canvas = *graphOf(bench).canvas();
    QVERIFY(canvas.graph()->layout.stubs.empty());
    QVERIFY(bench.does("graph.weights"));
    QVERIFY(!canvas.graph()->layout.stubs.empty());
    for (const StubBox& stub : canvas.graph()->layout.stubs) QVERIFY(canvas.graph()->model.nodes[stub.source].stubOnly);
    QVERIFY(bench.does("graph.weights"));
    QVERIFY(canvas.graph()->layout.stubs.empty());
    // A weight that is selected by its name is seen at its reader.
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const QString weight = main.params.back().name;
    QVERIFY(bench.does("select.binding", {weight}));
    QVERIFY(canvas.rectOf(canvas.selected()).isValid());
  }

  /// Weights that come as the fields of one parameter: each has its own shape and bytes, at every stage.
  void weightsInATuple() {
    const char* text =
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
        "    @R.function\n    def main(x: R.Tensor((2, 4), dtype=\"float32\"), params: R.Tuple(R.Tensor((4, 8), "
        "dtype=\"float32\"), R.Tensor((8, 3), dtype=\"float32\"))) -> R.Tensor((2, 3), dtype=\"float32\"):\n"
        "        R.func_attr({\"num_input\": 1})\n        with R.dataflow():\n"
        "            w0: R.Tensor((4, 8), dtype=\"float32\") = params[0]\n"
        "            a: R.Tensor((2, 8), dtype=\"float32\") = R.matmul(x, w0)\n"
        "            w1: R.Tensor((8, 3), dtype=\"float32\") = params[1]\n"
        "            gv: R.Tensor((2, 3), dtype=\"float32\") = R.matmul(a, w1)\n"
        "            R.output(gv)\n        return gv\n";
    QTemporaryDir folder;
    LiveBench bench;
    QVERIFY(openText(bench, folder, text));
    bench.window.resize(1600, 1000);
    for (int stage : {0, 4, 9}) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      const GraphCanvas& canvas = *graphOf(bench).canvas();
      QStringList weights;
      for (const GraphNode& node : canvas.graph()->model.nodes)
        for (const GraphWeight& weight : node.weights)
          weights << QStringLiteral("%1 %2 %3").arg(weight.name.c_str(), weight.type.c_str()).arg(weight.bytes);
      QCOMPARE(weights.join(", "), QString("params[0] (4, 8) f32 128, params[1] (8, 3) f32 96"));
      QStringList sizes;
      for (const RailRow& row : railRows(canvas)) sizes << row.size;
      QCOMPARE(sizes.join(", "), QString("128 B, 96 B"));
    }
  }

  /// Inputs that a function names are nodes, however many; what is behind them is not.
  void inputsStayNodes() {
    LiveBench bench;
    QVERIFY(bench.open("decoder"));
    QVERIFY(bench.does("select.function", {"main"}));
    const GraphCanvas& canvas = *graphOf(bench).canvas();
    for (const char* name : {"tokens", "cos", "sin"}) {
      const GraphNode* node = nodeTitled(canvas, name);
      QVERIFY2(node && !node->stubOnly, name);
    }
    const GraphNode* weight = nodeTitled(canvas, "embedding");
    QVERIFY(!weight || weight->stubOnly);
  }
};

QTEST_MAIN(LiveBlocksTest)
#include "tst_live_blocks.moc"
