// The item models under Qt's model tester, and the controllers and helpers without widgets.
#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QtTest>
#include <limits>

#include "fakes.h"
#include "views/models/diagnostic_sentence.h"
#include "views/models/fuzzy.h"
#include "views/models/list_models.h"
#include "views/models/list_parts.h"
#include "views/models/module_tree_model.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/models/size_sum.h"
#include "views/models/told_errors.h"
#include "views/models/watched_item.h"

using namespace rx::views;

class ModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sumsOfSizes() {
    const auto sum = [](const QStringList& sizes) { return bytesSum(sizes).value_or("none"); };
    QCOMPARE(sum({"8 * (n * n) B", "64 * n B", "n * 8 B", "100", "28"}), QString::fromUtf8("128 + 72 n + 8 n² B"));
    QCOMPARE(sum({"(n + 1) * (n - m) * 4 B"}), QString::fromUtf8("−4 m + 4 n − 4 m n + 4 n² B"));
    QCOMPARE(sum({"n * n * n * n B", "-"}), QString("none"));
    QCOMPARE(sum({"n * n * n * n B"}), QString("n^4 B"));
    QCOMPARE(sum({"n B", "0"}), QString("n B"));
    QCOMPARE(sum({}), QString("0 B"));
    // What is no polynomial stays as it is; what has no bytes has no sum.
    QCOMPARE(sum({"n // 2 * 4 B", "n B"}), QString("(n // 2 * 4) + n B"));
    QCOMPARE(sum({"max(n, 3) B"}), QString("(max(n, 3)) B"));
    QCOMPARE(sum({"n +"}), QString("none"));
    QCOMPARE(sum({"9223372036854775807", "1"}), QString("none"));
    QCOMPARE(sum({"n * 9223372036854775807 * 4 B"}), QString("(n * 9223372036854775807 * 4) B"));
    const QString deep = QString(100000, '(') + 'n' + QString(100000, ')') + " B";
    QCOMPARE(sum({deep}), QString("n B"));
  }

  void moduleTree() {
    ModuleTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    model.setIndex(fakeStage(0, 9));
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex main = model.index(0, 0);
    QCOMPARE(main.data().toString(), QString("main"));
    QCOMPARE(model.rowCount(main), 1);
    QCOMPARE(model.rowCount(model.index(0, 0, main)), 9);
    const QModelIndex found = model.find("main", 4);
    QCOMPARE(found.data().toString(), QString("lv4"));
    QCOMPARE(found.data(ModuleTreeModel::kBindingRole).toInt(), 4);
    QVERIFY(!model.find("absent", 0).isValid());
    QCOMPARE(model.find("main", 99).data().toString(), QString("main"));
    model.setIndex(fakeStage(1, 2));
    QCOMPARE(model.rowCount(model.index(0, 0, model.index(0, 0))), 2);
    model.setIndex(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  /// Bindings of a block with a name stand under it, in every way that the tree is walked.
  void outlinedTree() {
    const StageIndexPtr plain = fakeStage(0, 9);
    auto stage = std::make_shared<StageIndex>(*plain);
    FunctionRow row = stage->functions[0];
    row.outline = {{"stem", {}, 0, 0, 1}, {"layer1.0", "residual block", 0, 3, 5}};
    stage->functions = {};
    stage->functions.push_back(row);
    ModuleTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setIndex(stage);
    const QModelIndex block = model.index(0, 0, model.index(0, 0));
    QCOMPARE(model.rowCount(block), 6);  // stem, one binding, layer1.0, three bindings
    const QModelIndex layer = model.index(2, 0, block);
    QCOMPARE(layer.data().toString(), QString("layer1.0"));
    QCOMPARE(layer.data(ModuleTreeModel::kChipRole).toString(), QString("residual"));
    QCOMPARE(layer.data(ModuleTreeModel::kDetailRole).toString(), QString("3"));
    QVERIFY(ModuleTreeModel::isOutline(layer));
    QCOMPARE(model.rowCount(layer), 3);
    for (int ordinal = 0; ordinal < 9; ++ordinal) {
      const QModelIndex found = model.find("main", ordinal);
      QCOMPARE(found.data(ModuleTreeModel::kBindingRole).toInt(), ordinal);
      QVERIFY(!ModuleTreeModel::isOutline(found));
      const OutlineRow* outline = row.outlineAt(ordinal);
      QCOMPARE(outline != nullptr, ordinal < 2 || (ordinal > 2 && ordinal < 6));
      QCOMPARE(found.parent().data().toString(), outline ? outline->name : block.data().toString());
    }
  }

  void passes() {
    PassModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    StepRow imported;
    imported.name = "imported";
    imported.state = StepState::Done;
    StepRow same;
    same.number = 1;
    same.name = "LambdaLift";
    same.state = StepState::Done;
    StepRow changed = same;
    changed.number = 2;
    changed.name = "LegalizeOps";
    changed.changed = {{"main", 9, false, false}, {"matmul", 0, true, false}, {"gone", 0, false, true}};
    changed.verdict = Verdict::IllFormed;
    changed.verdictReason = "x is not defined";
    model.setRows({imported, same, changed});
    QCOMPARE(model.index(1, PassModel::kChanged).data().toString(), QString("same"));
    QCOMPARE(model.index(2, PassModel::kChanged).data().toString(), QString("main +9, 1 new, 1 gone"));
    QVERIFY(model.index(2, PassModel::kLamp).data(Qt::ToolTipRole).toString().contains("x is not defined"));
    // An unchanged pass is grey, a changed one is not.
    QVERIFY(model.index(1, PassModel::kName).data(Qt::ForegroundRole) !=
            model.index(2, PassModel::kName).data(Qt::ForegroundRole));
    model.setRows({imported});
    QCOMPARE(model.rowCount(), 1);
  }

  void passesOfTwoLanguages() {
    PassModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<StepRow> steps(3);
    for (int i = 0; i < 3; ++i) steps[static_cast<size_t>(i)].number = i;
    steps[0].language = steps[1].language = steps[2].language = "Relax";
    model.setSteps(steps);
    QCOMPARE(model.rowCount(), 3);
    steps[0].language = "Relay";
    model.setSteps(steps);
    QCOMPARE(model.rowCount(), 5);
    QVERIFY(model.isHeading(0) && !model.isHeading(1) && model.isHeading(2));
    QCOMPARE(model.index(2, 0).data().toString(), QString("Relax"));
    for (int stage = 0; stage < 3; ++stage) QCOMPARE(model.stageOfRow(model.rowOfStage(stage)), stage);
    for (const int row : {-1, 0, 2, 5}) QCOMPARE(model.stageOfRow(row), -1);
    QCOMPARE(model.rowOfStage(3), -1);
  }

  void debuggerLists() {
    FakeDebug debug;
    RunConfig config;
    config.function = "main";
    debug.start(config);
    for (int i = 0; i < 4; ++i) debug.stepOver();
    BytecodeModel bytecode;
    RegisterModel registers;
    StackModel stack;
    ProblemModel problems;
    LogModel log;
    QAbstractItemModelTester one(&bytecode), two(&registers), four(&stack), five(&problems), six(&log);
    bytecode.setRows(debug.instructions());
    registers.setRows(debug.registers());
    stack.setRows(debug.frames());
    log.setRows({{LogLine::Kind::Error, "died"}});
    QCOMPARE(bytecode.rowCount(), 9);
    const RegisterRow slot = registerRow(debug.heap().front());
    QCOMPARE(slot.name + ' ' + slot.value.text + ' ' + slot.binding, QString("heap[0] 17 n, from x axis 0"));
    QCOMPARE(registers.index(8, 1).data().toString(), QString("–"));
    QCOMPARE(stack.index(0, 1).data().toString(), QString("lv4"));
    ProblemRow problem;
    problem.message = "y axis 0: 5 does not match n = 3";
    problem.file = "/tmp/a.py";
    problem.line = 3;
    problem.column = 7;
    problems.setRows({problem});
    QCOMPARE(problems.index(0, 3).data().toString(), QString("a.py:3:7"));
  }

  void breakpointBoxes() {
    BreakpointModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    BreakpointRow row;
    row.id = 7;
    row.variable = "lv3";
    model.setRows({row});
    int changed = 0;
    model.onEnable = [&](int id, bool enabled) { changed = enabled ? 0 : id; };
    QVERIFY(model.setData(model.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(changed, 7);
    QVERIFY(!model.setData(model.index(0, 1), Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(!model.setData(model.index(0, 0), "lv4", Qt::EditRole));
  }

  void selectionHistory() {
    Selection selection;
    QSignalSpy changes(&selection, &Selection::changed);
    selection.selectFunction("main");
    selection.selectBinding("main", 3, "lv3");
    selection.selectBinding("main", 3, "lv3");
    QCOMPARE(changes.count(), 2);
    selection.selectStep(5);  // time alone is no history
    QVERIFY(selection.canGoBack());
    selection.back();
    QCOMPARE(selection.place().function, QString("main"));
    QCOMPARE(selection.place().binding, -1);
    QVERIFY(selection.canGoForward());
    selection.forward();
    QCOMPARE(selection.place().variable, QString("lv3"));
    QCOMPARE(selection.place().step, 5);
    selection.back();
    selection.selectFunction("other");
    QVERIFY(!selection.canGoForward());
    selection.reset();
    QVERIFY(!selection.canGoBack());
  }

  void links() {
    Place place;
    place.stage = 2;
    place.function = "main";
    place.binding = 4;
    place.variable = "lv&2";
    place.step = 9;
    Place read;
    QString file;
    QVERIFY(placeOfLink(linkOf(place, "/a b/mödule.py"), &read, &file));
    QCOMPARE(read, place);
    QCOMPARE(file, QString("/a b/mödule.py"));
    for (const char* bad : {"", "http://open?stage=1", "relaxscope://close?stage=1", "relaxscope://open?stage=x",
                            "relaxscope://open?stage=-7"}) {
      QVERIFY2(!placeOfLink(bad, &read, &file), bad);
    }
  }

  void partsOfLists() {
    const auto parts = [](const std::string& text, size_t begin) {
      const ListParts list = listParts(text, begin);
      QStringList said(list.closed ? QStringLiteral("closed") : QStringLiteral("open"));
      for (const auto& [from, to] : list.parts) said << QString::fromStdString(text.substr(from, to - from));
      return said;
    };
    QCOMPARE(parts("f(a, (b, c), [d, {e}], \"g, )\", 'h\\', ')rest", 2),
             QStringList({"closed", "a", " (b, c)", " [d, {e}]", " \"g, )\"", " 'h\\', '"}));
    QCOMPARE(parts("a: int, b = (1,", 0), QStringList({"open", "a: int", " b = (1,"}));
    QCOMPARE(parts("()", 1), QStringList({"closed", ""}));
    QCOMPARE(parts("", 0), QStringList({"open", ""}));
  }

  void fuzzy() {
    QVERIFY(fuzzyScore("so", "Step Over") > fuzzyScore("so", "Reason"));
    QVERIFY(fuzzyScore("find", "Find Next") > fuzzyScore("find", "Profile index"));
    QCOMPARE(fuzzyScore("zz", "Step Over"), -1);
    QVERIFY(fuzzyScore("", "anything") >= -100);
  }

  void numbers() {
    QCOMPARE(grouped(-65504), QString("-65,504"));
    QCOMPARE(shortNumber(-12.74), QString("-12.74"));
    QCOMPARE(shortNumber(std::numeric_limits<double>::infinity()), QString("+Inf"));
    QCOMPARE(shortNumber(std::nan("")), QString("NaN"));
    // The ends of a range look alike, whether a float happens to be whole or not.
    QCOMPARE(shortNumber(-651411, 3), QString("-651,411"));
    QCOMPARE(shortNumber(605432.25, 3), QString("605,432"));
    QCOMPARE(shortNumber(18907200, 3), QString("1.89e+07"));
    QCOMPARE(shortNumber(13591764.5, 3), QString("1.36e+07"));
    QCOMPARE(shortNumber(18907200), QString("18,907,200"));
    QCOMPARE(shortNumber(217.4, 3), QString("217"));
    QCOMPARE(bytesText(578), QString("578 B"));
    QCOMPARE(bytesText(71000), QString("71 kB"));
    QCOMPARE(bytesText(999'600), QString("1 MB"));
    QCOMPARE(durationText(0.041), QString("41 µs"));
    QCOMPARE(durationText(0.0015), QString("1.5 µs"));
    QCOMPARE(durationText(0.002), QString("2 µs"));
  }

  void symbolsOfAFunction() {
    SymbolModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    SymbolLine bound = symbolLine({"n", "x axis 0", 3, "x", "0 ≤ n", {{"q", "n"}, {"q", "n * 4"}, {"", "n"}}});
    bound.hasValue = true;
    bound.value = 1700;
    SymbolRow unbound;
    unbound.name = "m";
    const SymbolLine free = symbolLine(unbound);
    model.setRows({bound, free});
    QCOMPARE(model.index(0, 1).data().toString(), QString("1,700"));
    QCOMPARE(model.index(0, 4).data().toString(), QString("2 places: q, result"));
    QCOMPARE(model.index(1, 2).data().toString(), QString("nothing"));
    QCOMPARE(model.index(1, 4).data().toString(), QString("nowhere else"));
    SymbolRow often;
    for (int i = 0; i < 20000; ++i) often.uses.push_back({QStringLiteral("lv%1").arg(i), "n"});
    const SymbolLine shortened = symbolLine(often);
    QVERIFY(shortened.used.startsWith("20,000 places: lv0, lv1, ") && shortened.used.endsWith("lv11, …"));
    QVERIFY(shortened.usedTip.endsWith("lv23: n\nand 19,976 more"));
    model.setRows({});
  }

  /// A finding's line counts in its file; in the text of a stage its context says where.
  void placesOfProblems() {
    const StageIndexPtr stage = fakeStage(0, 4);
    ProblemRow problem;
    problem.context = "main, block 1, binding lv2";
    problem.file = "other.py";
    problem.line = 2;
    ProblemPlace place = problemPlace(problem, stage.get());
    QCOMPARE(place.function, QString("main"));
    QCOMPARE(place.variable, QString("lv2"));
    QCOMPARE(place.line, 6);
    QVERIFY(place.endColumn > place.column);
    QCOMPARE(problemPlace(problem, stage.get(), true).line, 2);
    problem.file.clear();
    QCOMPARE(problemPlace(problem, stage.get()).line, 2);
    problem.line = 0;
    problem.context = "absent, binding lv2";
    QCOMPARE(problemPlace(problem, stage.get()).line, 0);
    QCOMPARE(problemPlace(problem, nullptr).variable, QString("lv2"));
    problem.context.clear();
    QCOMPARE(problemPlace(problem, stage.get()).line, 0);
    // Without a context it is of what was written on its line.
    problem.file = "made_up.py";
    problem.line = 7;
    place = problemPlace(problem, stage.get());
    QCOMPARE(place.variable, QString());
    StageIndex written = *stage;
    FunctionRow function = stage->functions.front();
    std::vector<BindingRow>& rows = function.bindings;
    for (size_t i = 0; i < rows.size(); ++i) {
      OriginRow origin;
      origin.file = problem.file;
      origin.line = 5 + static_cast<int>(2 * i);
      rows[i].origins = {};
      rows[i].origins.push_back(origin);
    }
    written.functions = {};
    written.functions.push_back(function);
    for (int line : {7, 8}) {  // the second is a line within what begins on the first
      problem.line = line;
      place = problemPlace(problem, &written);
      QCOMPARE(place.binding, 1);
      QCOMPARE(place.variable, rows[1].name);
      QCOMPARE(place.line, rows[1].line);
    }
    problem.line = 4;  // above all of them, as the head of the function is
    QCOMPARE(problemPlace(problem, &written).line, 0);
    // What the function gives may go on below its last binding, unless another function begins behind it.
    problem.line = 500;
    QCOMPARE(problemPlace(problem, &written).binding, rows.back().ordinal);
    StageIndex two = written;
    FunctionRow behind = function;
    behind.name = "behind";
    for (BindingRow& row : behind.bindings) {
      OriginRow origin = row.origins.front();
      origin.line += 1000;
      row.origins = {};
      row.origins.push_back(origin);
    }
    two.functions.push_back(behind);
    QCOMPARE(problemPlace(problem, &two).line, 0);
    problem.line = 2000;
    QCOMPARE(problemPlace(problem, &two).function, QString("behind"));
    problem.line = 7;
    problem.file = "another.py";
    QCOMPARE(problemPlace(problem, &written).line, 0);
  }

  void sentences() {
    rx::Diagnostic wrong = rx::errorAt({}, "pass.unknown-option", "there is no option 'levl'");
    QCOMPARE(sentenceOf(wrong), QString("there is no option 'levl'"));
    wrong.fix = "did you mean 'level'?";
    QCOMPARE(sentenceOf(wrong), QString("there is no option 'levl' (did you mean 'level'?)"));
    wrong.notes = {{"of FuseOps", {}}, {"in row 2", {}}};
    QCOMPARE(sentenceOf(wrong), QString("there is no option 'levl'; of FuseOps; in row 2 (did you mean 'level'?)"));
  }

  void itemsOfWatches() {
    const auto item = watchedItem("pair[1][0]");
    QVERIFY(item && item->name == "pair" && item->at == (std::vector<int64_t>{1, 0}));
    QVERIFY(watchedItem(" (pair [ 2 ])"));
    for (const char* other : {"pair", "pair[1] + 1", "pair[1, 2]", "-pair[1]", "pair[-1]", "pair[other]",
                              "pair[1].mean", "sum(pair[0])", "pair[1] && pair[0]", "pair[", "1", ""})
      QVERIFY2(!watchedItem(other), other);
  }

  void whatTheProgramTells() {
    const QByteArray output = R"({"ok": false, "diagnostics": [{"severity": "warning", "message": "a"},
      {"severity": "error", "rule": "schedule.trace", "message": "there is no primitive 'x'", "file": "t.py", "line": 3,
       "column": 7, "fix": "did you mean 'y'?", "notes": [{"message": "of the trace"}]}, 7]})";
    const QJsonObject answer = QJsonDocument::fromJson(output).object();
    const std::vector<ToldError> errors = toldErrors(answer);
    QCOMPARE(errors.size(), size_t{1});
    QCOMPARE(sentenceOf(errors[0].what), QString("there is no primitive 'x'; of the trace (did you mean 'y'?)"));
    QVERIFY(errors[0].file == "t.py" && errors[0].line == 3 && errors[0].column == 7);
    QCOMPARE(whyNoAnswer(answer, output), QString("there is no primitive 'x'"));
    QCOMPARE(whyNoAnswer({}, "killed\nby somebody"), QString("killed"));
    QVERIFY(!whyNoAnswer({}, {}).isEmpty());
  }

  void shellWords() {
    QCOMPARE(shellWord("a/b.py"), QString("a/b.py"));
    QCOMPARE(shellWord("a b"), QString("'a b'"));
    QCOMPARE(shellWord("it's"), QString("'it'\\''s'"));
    QCOMPARE(shellWord(""), QString("''"));
    QCOMPARE(shellWord("$(x)"), QString("'$(x)'"));
  }
};

QTEST_GUILESS_MAIN(ModelsTest)
#include "tst_models.moc"
