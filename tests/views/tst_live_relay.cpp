// A module in Relay in the real window: what each instruction comes from, the debugger on its lines, graph, tree,
// names, search, and the pipeline that leads out of the language.
#include <QPushButton>
#include <QRegularExpression>

#include "live_bench.h"
#include "views/canvas/graph_canvas.h"
#include "views/models/origin_chain.h"
#include "views/panels/graph/graph_panel.h"
#include "views/panels/ir_text/ir_text_panel.h"
#include "views/panels/list_view.h"
#include "views/panels/pipeline/pipeline_rows.h"
#include "views/panels/results/results_panel.h"
#include "views/shell/dock_area.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class LiveRelayTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// `%4` is read twice, and the second read stands in an expression with another.
  QString gate() {
    const QString path = folder_.filePath("gate.relay");
    write(path, R"(#[version = "0.0.5"]
type Before { One, Two, }
type Choice[A] { Some(A), Nothing, }

def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(32, 64), float32],
          %b: Tensor[(32), float32], %c: bool) -> Tensor[(1, 32), float32] {
  %0 = nn.dense(%x, %w, units=None);
  let %sum = nn.bias_add(%0, %b);
  %1 = if (%c) {
    nn.relu(%sum)
  } else {
    multiply(%sum, sigmoid(%sum))
  };
  @twice(add(%1, %sum))
}

def @twice(%y: Tensor[(1, 32), float32]) -> Tensor[(1, 32), float32] {
  let %kept = Some(%y);
  match (%kept) {
    Some(%z) => add(%z, %z),
    Nothing => %y,
  }
}
)");
    return path;
  }
  static const BindingRow* labelled(const FunctionRow& function, const QString& label) {
    for (const BindingRow& row : function.bindings)
      if (row.label == label) return &row;
    return nullptr;
  }
  /// What a line of the stage's text says.
  static QString said(const LiveBench& bench, int stage, int line) {
    return QString::fromUtf8(const_cast<LiveBench&>(bench).document.stage(stage)->line(line)).trimmed();
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void everyBindingLeadsToTheExpression_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("branches and matches") << QString();
    QTest::newRow("tree_lstm") << kSamples + "tree_lstm";
    QTest::newRow("basic_blocks") << kSamples + "relay_passes/basic_blocks.relay";
  }
  void everyBindingLeadsToTheExpression() {
    QFETCH(QString, file);
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file.isEmpty() ? gate() : file}));
    QVERIFY(bench.does("pass.last"));
    const int last = bench.document.lastStage();
    QVERIFY(last > 16);
    for (int stage = 0; stage <= last; ++stage) QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
    int checked = 0;
    for (int stage = 0; stage <= last; ++stage) {
      for (const FunctionRow& function : bench.document.stage(stage)->functions) {
        for (const BindingRow& row : function.bindings) {
          const QString where = QStringLiteral("stage %1 %2 %3").arg(stage).arg(function.name, row.name);
          const OriginChain chain = originChain(bench.document, stage, function.name, row.ordinal, false);
          QVERIFY2(chain.complete && !chain.links.empty() && chain.links.front().line > 0, qPrintable(where));
          if (row.origins.empty()) continue;
          QVERIFY2(chain.links.front().stage == 0 && chain.links.front().binding >= 0, qPrintable(where));
          QVERIFY2(chain.links.front().fileLine > 0, qPrintable(where));
          ++checked;
        }
      }
    }
    QVERIFY2(checked > 100, qPrintable(QString::number(checked)));
  }

  void theInspectorSaysTheChain() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("pass.goTo", {"5"}));
    const FunctionRow* main = bench.document.stage(5)->function("main");
    const BindingRow* relu = main ? labelled(*main, "call_tir relu") : nullptr;
    QVERIFY(relu);
    QVERIFY(bench.does("select.binding", {relu->name}));
    const QString text = bench.window.dump("inspector");
    QVERIFY2(text.contains("From\n  0 nn.relu(%sum) line 16 gate.relay line 10\n"), qPrintable(text));
    QVERIFY2(text.contains("\n  1 ToRelax R.nn.relu("), qPrintable(text));
  }

  /// What an operator is comes from the table of the language that the binding is written in.
  void theInspectorSaysTheOperator() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"%0"}));
    QString text = bench.window.dump("inspector");
    QVERIFY2(text.contains("Operator nn.dense\n"), qPrintable(text));
    QVERIFY2(text.contains("relax.matmul"), qPrintable(text));
    QVERIFY(bench.does("select.function", {"twice"}));
    QVERIFY(bench.does("select.binding", {"%kept"}));
    text = bench.window.dump("inspector");
    QVERIFY2(!text.contains("Operator "), qPrintable(text));
  }

  /// A finding of a module that opens is underlined where the stage's text has what was written there, is listed by the
  /// Inspector, and leads to its binding, though the file's lines are other ones.
  void findingsAreUnderlined() {
    LiveBench bench;
    const QString path = folder_.filePath("unfit.relay");
    write(path, R"(#[version = "0.0.5"]
// The text of the stage leaves this out.

def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(32, 60), float32]) -> Tensor[(1, 32), float32] {
  %0 = nn.relu(%x);
  %1 = nn.dense(%0,
                %w, units=None);
  negative(%1)
}
)");
    QVERIFY(bench.does("file.open", {path}));
    QCOMPARE(bench.document.problems().size(), size_t(1));
    QCOMPARE(bench.document.problems().front().line, 6);
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const BindingRow* dense = labelled(main, "nn.dense");
    QVERIFY(dense && dense->line != 6);
    const auto* view = bench.window.panel("ir")->findChild<TextView*>();
    QCOMPARE(view->decorations().squiggles.size(), size_t(1));
    const Squiggle& found = view->decorations().squiggles.front();
    QCOMPARE(static_cast<int>(view->buffer()->lineOf(found.begin)) + 1, dense->line);
    QVERIFY2(found.tip.contains("relay.relation"), qPrintable(found.tip));
    QVERIFY(bench.does("select.binding", {dense->name}));
    QVERIFY2(bench.window.dump("inspector").contains("Found here"), qPrintable(bench.window.dump("inspector")));
    const BindingRow* relu = labelled(main, "nn.relu");
    QVERIFY(relu && bench.does("select.binding", {relu->name}));
    QVERIFY(!bench.window.dump("inspector").contains("Found here"));
    // The tree marks its row, and no other binding's.
    QStringList marked;
    for (const QString& line : bench.window.dump("module").split('\n'))
      if (line.contains("error: ") && !line.trimmed().startsWith("main")) marked << line.trimmed();
    QVERIFY2(marked.filter(QRegularExpression('^' + dense->name + '\t')).size() == 1, qPrintable(marked.join('\n')));
    QVERIFY2(marked.filter(QRegularExpression('^' + relu->name + '\t')).isEmpty(), qPrintable(marked.join('\n')));
  }

  /// The text need not say what type anything has: the pointer over it does, also over what has no name.
  void hoveringTellsTypes() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    const auto* view = bench.window.panel("ir")->findChild<TextView*>();
    const std::string text = bench.document.stage(0)->text.toStdString();
    const auto tip = [&](const char* where, size_t further) {
      const size_t at = text.find(where);
      return at == std::string::npos ? QString("no such text") : view->tipAt(static_cast<uint32_t>(at + further));
    };
    QCOMPARE(tip("%0 = ", 1), QString("%0: Tensor[(1, 32), float32]"));
    QCOMPARE(tip("let %sum", 5), QString("%sum: Tensor[(1, 32), float32]"));
    QCOMPARE(tip("nn.dense(", 3), QString("nn.dense: Tensor[(1, 32), float32]"));
    QCOMPARE(tip("nn.dense(%x", 10), QString("parameter x: Tensor[(1, 64), float32]"));
    QCOMPARE(tip("let %kept", 5), QString("%kept: Choice[Tensor[(1, 32), float32]]"));
    QVERIFY(tip("#[version", 2).isEmpty());
    // So it does not: comments that say a type are left out of what is shown.
    QVERIFY(bench.does("pass.goTo", {"0"}) && text.find("/* ty=") != std::string::npos);
    for (uint32_t line = 0; line < view->buffer()->lineCount(); ++line) {
      const std::string_view all = view->buffer()->line(line);
      for (size_t at = all.find("/* ty="); at != std::string_view::npos; at = all.find("/* ty=", at + 1))
        QVERIFY2(std::ranges::any_of(view->shortenings(all),
                                     [at](const Shortening& part) { return part.begin <= at && at < part.end; }),
                 std::string(all).c_str());
    }
  }

  /// A value of an algebraic data type is no plain tuple: it says its constructor, and its fields are gone into.
  void valuesSayTheirConstructor() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("select.function", {"twice"}) && bench.does("debug.toggleBreakpoint", {"%kept"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}) && bench.does("debug.continue"));
    QVERIFY(bench.does("debug.stepOver") && bench.does("select.binding", {"%kept"}));
    const QString shown = bench.window.dump("inspector");
    QVERIFY2(shown.contains("Some with 1 field"), qPrintable(shown));
    QVERIFY2(shown.contains("(1, 32)"), qPrintable(shown));
  }

  /// Names that look like the places of a format stay names.
  void numberedNamesStayNames() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    const QString shown = bench.window.dump("bytecode");
    static const QRegularExpression kRow("\\t%1 · \\d+\\n");
    QVERIFY2(kRow.match(shown).hasMatch(), qPrintable(shown));
  }

  /// A breakpoint stands on a line of the Relay text, steps walk over its lines, and each shows what it computed.
  void theDebuggerStopsOnItsLines() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"%sum"}));
    QVERIFY2(bench.does("debug.start", {"main", "seed=1"}), qPrintable(bench.window.lastError()));
    QCOMPARE(bench.debug.config().stage, 0);
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().reason, QString("breakpoint"));
    QStringList lines;
    for (int i = 0; i < 40 && bench.debug.state() == RunState::Stopped; ++i) {
      const BindingRow* row = nullptr;
      if (const FunctionRow* function = bench.document.stage(0)->function(bench.debug.stop().function))
        row = function->binding(bench.debug.stop().binding);
      if (row && (lines.empty() || lines.back() != said(bench, 0, row->line))) lines << said(bench, 0, row->line);
      QVERIFY(bench.does("debug.stepInto"));
    }
    QCOMPARE(bench.debug.state(), RunState::Ended);
    const QString walked = lines.join('\n');
    QVERIFY2(walked.startsWith("let %sum") && walked.contains("= nn.bias_add(%0, %b)"), qPrintable(walked));
    QVERIFY2(walked.contains("sigmoid(%sum)") != walked.contains("nn.relu(%sum)"), qPrintable(walked));
    QVERIFY2(walked.contains("add(%z, %z)"), qPrintable(walked));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    QVERIFY(bench.debug.valueState("main", main->bindingNamed("%sum")->ordinal) != ValueState::None);
  }

  /// Branches are drawn as such, and what a pattern names flows from what is matched.
  void graphAndTree() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("select.function", {"main"}));
    const QString graph = bench.window.dump("graph");
    for (const char* piece : {"%0 dense", "%sum bias_add", "if", "result"})
      QVERIFY2(graph.contains(QLatin1String(piece)), qPrintable(graph));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    QCOMPARE(main.kind, FunctionKind::Graph);
    QCOMPARE(main.language, QString("Relay"));
    const BindingRow* branch = labelled(main, "if");
    QVERIFY(branch && branch->form == BindingForm::If);
    QCOMPARE(branch->yields.size(), size_t(2));
    const BindingRow* relu = labelled(main, "nn.relu");
    QVERIFY(relu);
    QCOMPARE(relu->parent, branch->ordinal);
    QCOMPARE(main.blocks[static_cast<size_t>(relu->block)].title, QString("true"));
    QCOMPARE(relu->shape, QString("(1, 32)"));
    QCOMPARE(relu->dtype, QString("float32"));
    const FunctionRow& twice = *bench.document.stage(0)->function("twice");
    const BindingRow* match = labelled(twice, "match");
    QVERIFY(match && match->form == BindingForm::If);
    const BindingRow* sum = labelled(twice, "add");
    QVERIFY(sum && !sum->operands.empty());
    QCOMPARE(sum->operands[0].index, twice.bindingNamed("%kept")->ordinal);
    const QString tree = bench.window.dump("module");
    for (const char* piece : {"main\n", "twice\n", "nn.relu\n", "Choice"})
      QVERIFY2(tree.contains(QLatin1String(piece)), qPrintable(tree));
    QCOMPARE(twice.blocks[static_cast<size_t>(sum->block)].title, QString("Some(%z)"));
    QCOMPARE(twice.blocks.back().title, QString("Nothing"));  // which computes nothing by itself
    const FunctionRow& choice = *bench.document.stage(0)->function("Choice");
    QCOMPARE(choice.kind, FunctionKind::Type);
    QCOMPARE(choice.signature, QString("[A] { Some(A), Nothing, }"));
    QVERIFY(bench.does("select.function", {"Choice"}));
    QVERIFY(bench.window.dump("inspector").contains("Relay type"));
  }

  /// What both branches and the rest read is computed around them, wherever the text writes it; the tree, the graph and
  /// the Inspector say so.
  void scopesAreThoseOfTheUses() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("pipeline.add", {"ToGraphNormalForm()", "0"}));
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.does("select.function", {"main"}));
    const FunctionRow& main = *bench.document.stage(1)->function("main");
    const BindingRow *sum = labelled(main, "nn.bias_add"), *branch = labelled(main, "if"),
                     *relu = labelled(main, "nn.relu");
    QVERIFY(sum && branch && relu);
    QCOMPARE(sum->parent, branch->ordinal);  // of the text
    QCOMPARE(sum->block, 0);
    QCOMPARE(main.blocks[static_cast<size_t>(relu->block)].parent, branch->ordinal);
    QCOMPARE(main.blocks.size(), size_t(3));
    const QString tree = bench.window.dump("module");
    QVERIFY2(tree.contains("scope 1") && tree.contains("scope 3"), qPrintable(tree));
    const GraphModel& graph = static_cast<GraphPanel*>(bench.window.panel("graph"))->canvas()->graph()->model;
    QCOMPARE(graph.regions.size(), size_t(3));
    for (const GraphRegion& region : graph.regions) QCOMPARE(region.kind, RegionKind::Scope);
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const GraphNode& n) { return n.title.ends_with("bias_add"); });
    QVERIFY(node != graph.nodes.end());
    QCOMPARE(node->region, 0);
    QCOMPARE(graph.regions[0].parent, -1);
    QCOMPARE(graph.regions[1].parent, 0);
    QVERIFY(bench.does("select.binding", {sum->name}));
    QString text = bench.window.dump("inspector");
    QVERIFY2(text.contains("Read in scopes 1, 2 and 3."), qPrintable(text));
    QVERIFY2(text.contains("Scope 1 is the innermost that holds all of them"), qPrintable(text));
    QVERIFY2(text.contains("The text writes it inside of"), qPrintable(text));
    // Nothing of that where a function has no scopes.
    QVERIFY(bench.does("pass.goTo", {"2"}));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(!bench.window.dump("inspector").contains("Scope"));
  }

  /// From form to form the selection stays on the same thing, and where it comes from is said of that.
  void theSelectionGoesWithTheForms() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("pipeline.add", {"ToBasicBlockNormalForm()", "0"}));
    for (const char* label : {"nn.dense", "nn.bias_add", "if", "sigmoid"}) {
      QVERIFY(bench.does("pass.goTo", {"0"}));
      const BindingRow* row = labelled(*bench.document.stage(0)->function("main"), label);
      QVERIFY2(row && bench.does("select.binding", {row->name}), label);
      QVERIFY(bench.does("pass.goTo", {"1"}));
      const FunctionRow& main = *bench.document.stage(1)->function("main");
      const BindingRow* now = main.binding(bench.selection.place().binding);
      QVERIFY2(now && now->label == label, label);
      for (const OriginLink& link : originChain(bench.document, 1, "main", now->ordinal, false).links) {
        const BindingRow* at = bench.document.stage(link.stage)->function("main")->binding(link.binding);
        QVERIFY2(at && at->label == label, label);
      }
    }
  }

  /// Graph and text of both forms: four panels that select together.
  void formsSideBySide_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("wide") << 1600;
    QTest::newRow("narrow") << 1024;
  }
  void formsSideBySide() {
    QFETCH(int, width);
    LiveBench bench;
    bench.window.resize(width, 900);
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("select.function", {"main"}));
    const qsizetype passes = static_cast<qsizetype>(bench.document.steps().size());
    QVERIFY(bench.does("pass.forms"));
    QCOMPARE(bench.document.steps()[1].name, QString("ToBasicBlockNormalForm"));
    QCOMPARE(static_cast<qsizetype>(bench.document.steps().size()), passes + 1);
    const char* ids[] = {"graph", "graph.2", "ir", "ir.2"};
    for (const char* id : ids) QVERIFY2(bench.window.panel(id) && bench.window.panel(id)->isVisible(), id);
    const auto placeOf = [&](const char* id) {
      const QWidget* panel = bench.window.panel(id);
      return QRect(panel->mapToGlobal(QPoint()), panel->size());
    };
    QVERIFY(placeOf("graph").right() < placeOf("graph.2").left());
    QVERIFY(placeOf("ir").right() < placeOf("ir.2").left());
    QVERIFY(placeOf("graph").bottom() < placeOf("ir").top());
    // What is chosen in one text is chosen everywhere.
    const auto lineIn = [&](const char* id) {
      const auto* text = bench.window.panel(id)->findChild<TextView*>();
      return text->selectedLine() ? QString::fromUtf8(text->buffer()->line(*text->selectedLine())) : QString();
    };
    QVERIFY(bench.does("select.binding", {"%sum"}));
    const auto titleOf = [&](const char* id) {
      const GraphCanvas& canvas = *static_cast<GraphPanel*>(bench.window.panel(id))->canvas();
      for (const GraphNode& node : canvas.graph()->model.nodes)
        if (node.id == canvas.selected()) return QString::fromStdString(node.title);
      return QString();
    };
    for (const char* id : {"ir", "ir.2"}) QVERIFY2(lineIn(id).contains("bias_add"), qPrintable(lineIn(id)));
    for (const char* id : {"graph", "graph.2"}) QVERIFY2(titleOf(id).contains("bias_add"), qPrintable(titleOf(id)));
    // From a graph too.
    GraphCanvas& left = *static_cast<GraphPanel*>(bench.window.panel("graph"))->canvas();
    for (const GraphNode& node : left.graph()->model.nodes) {
      if (!QString::fromStdString(node.title).contains("sigmoid")) continue;
      QTest::mouseClick(&left, Qt::LeftButton, {}, left.rectOf(node.id).center().toPoint());
    }
    QVERIFY(bench.settle());
    for (const char* id : {"ir", "ir.2"}) QVERIFY2(lineIn(id).contains("sigmoid"), qPrintable(lineIn(id)));
    QVERIFY(titleOf("graph.2").contains("sigmoid"));
    // Again: the pass is there.
    QVERIFY(bench.does("pass.forms"));
    QCOMPARE(static_cast<qsizetype>(bench.document.steps().size()), passes + 1);
    QVERIFY(!bench.window.panel("graph.3"));
    // A layout ends it.
    QVERIFY(bench.does("view.layout", {"Read"}));
    QVERIFY(!bench.window.panel("ir.2") && !bench.window.panel("graph.2"));
    QVERIFY(!bench.window.docks().lockOf(bench.window.panel("ir")));
    // A module in Relax has one form.
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(!bench.window.run("pass.forms"));
  }

  /// A name leads to where it is defined, and operators are found.
  void namesAndSearch() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    const StageIndexPtr stage = bench.document.stage(0);
    const FunctionRow& main = *stage->function("main");
    int uses = 0, operators = 0, functions = 0;
    for (const NameRow& name : main.names) {
      const QByteArray text = stage->text.mid(name.range.begin, name.range.end - name.range.begin);
      if (name.kind == NameRow::Kind::Operator) operators += text == "nn.dense";
      if (name.kind == NameRow::Kind::Function && !name.defines) functions += text == "@twice";
      if (name.kind != NameRow::Kind::Binding) continue;
      QCOMPARE(QString::fromUtf8(text), main.binding(name.target)->name);
      uses += text == "%sum" && !name.defines;
    }
    QCOMPARE(uses, 4);
    QCOMPARE(operators, 1);
    QCOMPARE(functions, 1);
    QVERIFY(bench.does("search.find", {"!sigmoid"}));
    const auto* results = static_cast<ResultsPanel*>(bench.window.panel("results"));
    QCOMPARE(results->hits().size(), size_t(1));
    QCOMPARE(results->hits()[0].function, QString("main"));
  }

  /// A name means the pass of the language that the module is in before it.
  void pipelineByLanguage() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    const auto rows = [&] { return pipelineRows(bench.document.pipeline(), bench.document.language()); };
    QCOMPARE(rows().front().name(), QString("ToRelax"));
    QCOMPARE(rows().size() + 1, bench.document.steps().size());
    QVERIFY(bench.does("pipeline.add", {"ToBasicBlockNormalForm()", "0"}));
    QVERIFY(bench.does("pipeline.add", {"DeadCodeElimination()", "1"}));
    QVERIFY(bench.does("pipeline.add", {"DeadCodeElimination()", "3"}));
    QCOMPARE(QString::fromUtf8(rows()[1].call.row->language), QString("relay"));
    QCOMPARE(rows()[2].name(), QString("ToRelax"));
    QCOMPARE(QString::fromUtf8(rows()[3].call.row->language), QString());
    QCOMPARE(rows().size() + 1, bench.document.steps().size());
    QVERIFY(bench.does("pass.goTo", {"2"}));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    for (int stage = 1; stage <= 4; ++stage)
      QCOMPARE(bench.document.steps()[static_cast<size_t>(stage)].state, StepState::Done);
    QCOMPARE(bench.document.stage(2)->function("main")->kind, FunctionKind::Graph);
    QCOMPARE(bench.document.stage(4)->function("main")->kind, FunctionKind::Relax);
    QVERIFY(!bench.window.run("pipeline.add", {"ToBasicBlockNormalForm()"}));  // at the end the module is in Relax
  }

  /// The history says where it changes its language, and its last stage in the first leads on.
  void historyInTwoLanguages() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {gate()}));
    QVERIFY(bench.does("pipeline.add", {"ToBasicBlockNormalForm()", "0"}));
    QWidget* passes = bench.window.panel("passes");
    const auto rows = [&] { return bench.window.dump("passes").split('\n'); };
    QVERIFY(rows()[0].startsWith("Relay"));
    QVERIFY(rows()[3].startsWith("Relax"));
    QVERIFY(rows()[4].contains("ToRelax"));
    const auto button = [&]() -> QPushButton* {
      for (QPushButton* one : passes->findChildren<QPushButton*>())
        if (one->text() == "Go on in Relax" && one->isVisibleTo(passes)) return one;
      return nullptr;
    };
    QVERIFY(bench.does("view.panel", {"passes"}));
    QVERIFY(!button());  // another pass of Relay comes before
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(button());
    button()->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 2);
    QVERIFY(!button());
    // A row is a stage, whatever stands over it; what only names a language can not be selected.
    auto* list = passes->findChild<ListView*>();
    QCOMPARE(list->currentIndex().row(), 4);
    QVERIFY(!list->model()->flags(list->model()->index(3, 0)).testFlag(Qt::ItemIsSelectable));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Up);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 1);
    QVERIFY(bench.open("mlp"));
    QVERIFY(rows()[0].contains("imported"));
  }
};

QTEST_MAIN(LiveRelayTest)
#include "tst_live_relay.moc"
