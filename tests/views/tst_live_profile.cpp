// Profiles in the window: made by the real program, shown by kernel and by call, held against each other, loaded from
// files; what is no profile is refused and leaves what was shown.
#include <QClipboard>
#include <QDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "live_bench.h"
#include "views/models/profile_board.h"
#include "views/models/row_model.h"
#include "views/models/scratch_folder.h"
#include "views/panels/profile/flame_view.h"
#include "views/shell/cards/toast.h"

using namespace rx::views;

namespace {

/// The cells of the first line of a table with this text.
QStringList lineWith(const QString& dump, const QString& text) {
  for (const QString& line : dump.split('\n'))
    if (line.contains(text)) return line.split('\t');
  return {};
}

}  // namespace

class LiveProfileTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void profiles() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    // What is empty says what comes, and brings it.
    QVERIFY(bench.does("view.panel", {"profiles"}) && bench.does("view.panel", {"profile"}));
    const auto buttonOf = [&](const char* panel) -> QPushButton* {
      for (QPushButton* button : bench.window.panel(panel)->findChildren<QPushButton*>())
        if (button->text().startsWith("Profile")) return button;
      return nullptr;
    };
    QVERIFY(buttonOf("profile") && buttonOf("profile")->isVisible());
    QCOMPARE(buttonOf("profiles")->text(), QString("Profile"));
    for (const char* panel : {"roofline", "flame", "shares"}) {
      QVERIFY2(bench.does("view.panel", {panel}), panel);
      QPushButton* button = buttonOf(panel);
      QVERIFY2(button && button->isVisible() && button->hasFocus(), panel);
      const QWidget* note = button->parentWidget();
      const auto* text = note->findChild<QLabel*>();
      QVERIFY2(text && text->text() == bench.window.dump(panel).trimmed(), panel);
      const int above = text->y(), below = note->height() - button->geometry().bottom();
      QVERIFY2(std::abs(above - below) < text->fontMetrics().height(), panel);
      QVERIFY2(std::abs(button->geometry().center().x() - note->width() / 2) < 4, panel);
    }
    QVERIFY(bench.does("view.panel", {"profile"}));
    buttonOf("profile")->click();
    QVERIFY(bench.settle());
    for (const char* panel : {"roofline", "flame", "shares"}) QVERIFY2(!buttonOf(panel)->isVisible(), panel);
    QVERIFY(!buttonOf("profile")->isVisible());
    QCOMPARE(buttonOf("profiles")->text(), QString("Profile again"));
    QString dump = bench.window.dump("profile");
    QVERIFY2(dump.startsWith("main: ") && dump.contains("GFLOP/s"), qPrintable(dump));
    // Times have the unit that they are read in; the table keeps one for all of its rows.
    const QString first = dump.section('\n', 0, 0);
    QVERIFY2(QRegularExpression("^main: [1-9]\\d*(\\.\\d+)? (µs|ms) a run").match(first).hasMatch(), qPrintable(first));
    // It is in sight, so that no toast tells of it, which would lie on its chart.
    QVERIFY(bench.window.panel("profile")->isVisible() && !bench.window.findChild<Toast*>()->isVisible());
    QVERIFY2(bench.window.statusText().contains("Profile: done"), qPrintable(bench.window.statusText()));
    QVERIFY2(!lineWith(dump, "softmax").isEmpty() && !lineWith(dump, "builtins").isEmpty(), qPrintable(dump));
    // By call each row knows what it was imported as, and choosing it selects that.
    QVERIFY(bench.does("profile.byCall"));
    dump = bench.window.dump("profile");
    QVERIFY2(lineWith(dump, "softmax").contains("gv, line 16"), qPrintable(dump));
    auto* table = bench.window.panel("profile")->findChild<QTreeView*>();
    QVERIFY(table);
    int row = 0;
    while (row < table->model()->rowCount() && table->model()->index(row, 1).data().toString() != "softmax") ++row;
    QVERIFY(row < table->model()->rowCount());
    QVERIFY(bench.window.panel("profile")->command("row", {QString::number(row)}));
    QCOMPARE(bench.selection.place().variable, QString("gv"));
    QCOMPARE(bench.selection.place().function, QString("main"));

    // A second one is held against the first.
    QVERIFY(bench.does("profile.byKernel"));
    QVERIFY(bench.does("profile.run"));
    dump = bench.window.dump("profile");
    const auto compares = [](const QString& text) {
      return text.contains("s instead of ") || text.startsWith("As fast as A (");
    };
    QVERIFY2(compares(dump), qPrintable(dump));
    QVERIFY(bench.does("profile.against", {"none"}));
    QVERIFY(!compares(bench.window.dump("profile")));
    const auto* model = bench.window.panel("profile")->findChild<QTreeView*>()->model();
    const auto titled = [&](const QString& title) {
      for (int column = 0; column < model->columnCount(); ++column)
        if (model->headerData(column, Qt::Horizontal).toString() == title) return true;
      return false;
    };
    // One unit for all of its rows, in which the smallest has digits.
    const QString unit = first.contains("µs") ? "µs" : "ms";
    QVERIFY(titled(unit) && !titled("B " + unit));
    QVERIFY2(unit == "ms" || !dump.contains("\t0.0002\t"), qPrintable(dump));
    QVERIFY(bench.does("profile.show", {"1"}));
    QVERIFY(bench.does("profile.against", {"2"}));
    QVERIFY(titled("B " + unit) && titled("A " + unit) && titled("A to B"));
    QVERIFY(compares(bench.window.dump("profile")));
    QVERIFY(!bench.window.run("profile.show", {"3"}));
    QVERIFY(!bench.window.run("profile.against", {"some"}));
  }

  /// A name stands in a bar of the last run where it can be read, and three dots do not stand for one.
  void namesInBars() {
    const QFontMetrics letters{QFont()};
    const QString name = "fused_conv2d_add_relu";
    const double whole = letters.horizontalAdvance(name);
    QCOMPARE(flameLabel(name, letters, whole + 1), name);
    QVERIFY(flameLabel(name, letters, whole * 0.7).startsWith("fused"));
    QVERIFY(flameLabel(name, letters, whole * 0.7).endsWith("relu"));
    QCOMPARE(flameLabel(name, letters, letters.horizontalAdvance("fu…")), QString());
    QCOMPARE(flameLabel("add", letters, letters.horizontalAdvance("add")), QString("add"));
  }

  /// A window that starts clears up after those that are gone, and leaves alone what another is at work in.
  void anotherStarts() {
    QCoreApplication::setApplicationName("relaxscope");
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.window.run("profile.run"));
    const ScratchFolder other;
    QVERIFY(!other.path().isEmpty() && bench.settle());
    const QString dump = bench.window.dump("profile");
    QVERIFY2(dump.startsWith("main: "), qPrintable(dump));
  }

  /// Layers are those of the imported function, whatever its kernels are; shares of all are the same in each table.
  void byLayer() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run") && bench.does("profile.byLayer"));
    auto* table = bench.window.panel("profile")->findChild<QTreeView*>();
    // The bar of the largest share fills its cell.
    const auto shares = [&] {
      double all = 0, widest = 0;
      for (int row = 0; row < table->model()->rowCount(); ++row) {
        for (int column = 0; column < table->model()->columnCount(); ++column) {
          const QModelIndex cell = table->model()->index(row, column);
          if (!cell.data(kBarRole).isValid()) continue;
          widest = std::max(widest, cell.data(kBarRole).toDouble());
          all += cell.data().toString().section(' ', 0, 0).toDouble() / 100;
        }
      }
      return widest == 1.0 ? all : -1;
    };
    const QString layers = bench.window.dump("profile");
    QVERIFY2(!lineWith(layers, "gv").isEmpty() && !lineWith(layers, "the machine").isEmpty(), qPrintable(layers));
    QVERIFY2(lineWith(layers, "softmax").isEmpty(), qPrintable(layers));
    const double byLayer = shares();
    QVERIFY2(std::abs(byLayer - 1) < 0.01, qPrintable(QString::number(byLayer)));
    QVERIFY(bench.window.panel("profile")->command("row", {"0"}));
    QVERIFY(!bench.selection.place().variable.isEmpty());
    QVERIFY(bench.does("profile.byKernel"));
    QVERIFY2(std::abs(shares() - 1) < 0.01, qPrintable(QString::number(shares())));
    QVERIFY(!bench.window.panel("profile")->command("by", {"planet"}));
  }

  /// A profile of a text or a pipeline that is not open any more says so, and is grey.
  void ofSomethingElse() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run"));
    const auto* model = bench.window.panel("profile")->findChild<QTreeView*>()->model();
    const QVariant ink = model->index(0, 0).data(Qt::ForegroundRole);
    QVERIFY(bench.window.dump("profile").startsWith("main: "));
    const QString before = bench.document.pipeline();
    QVERIFY(bench.does("pass.pipeline", {"LegalizeOps()"}));
    QVERIFY(bench.window.dump("profile").startsWith("Of another pipeline"));
    QVERIFY(model->index(0, 0).data(Qt::ForegroundRole) != ink);
    QVERIFY(bench.does("pass.pipeline", {before}));
    QVERIFY(bench.window.dump("profile").startsWith("main: "));
    QCOMPARE(model->index(0, 0).data(Qt::ForegroundRole), ink);
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.window.dump("profile").startsWith("Of an earlier text"));
  }

  /// Table, roofline, flame chart, shares and text choose the same thing.
  void chosenEverywhere() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run"));
    for (const char* id : {"profile", "roofline", "flame", "shares"})
      QVERIFY2(bench.window.panel(id) && bench.window.panel(id)->isVisible(), id);
    // From the text: the kernel that does the work of a binding.
    QVERIFY(bench.does("select.binding", {"gv"}));
    auto* table = bench.window.panel("profile")->findChild<QTreeView*>();
    const auto current = [&] { return table->currentIndex().siblingAtColumn(0).data().toString(); };
    QCOMPARE(current(), QString("softmax"));
    QString details = bench.window.dump("roofline");
    QVERIFY2(details.contains("softmax 1 call") && details.contains("(1, 10) float32"), qPrintable(details));
    QVERIFY2(details.contains("No rule scheduled it") && details.contains("gv"), qPrintable(details));
    const auto chosenIn = [&](const char* id) {
      QStringList chosen;
      for (const QString& line : bench.window.dump(id).split('\n'))
        if (line.endsWith("\tchosen")) chosen << line.section('\t', -2, -2);
      return chosen;
    };
    QCOMPARE(chosenIn("flame"), QStringList{"softmax"});
    // From the flame chart, whose events are of calls.
    const QStringList events = bench.window.dump("flame").split('\n').filter("\trelu");
    QVERIFY2(!events.isEmpty(), qPrintable(bench.window.dump("flame")));
    auto* board = bench.window.findChild<ProfileBoard*>();
    int call = 0;
    while (board->nameOf(board->shown()->calls.at(static_cast<size_t>(call))) != "relu") ++call;
    QVERIFY(bench.window.panel("flame")->command("call", {QString::number(call)}));
    QCOMPARE(current(), QString("relu"));
    QCOMPARE(bench.selection.place().variable, board->shown()->calls[static_cast<size_t>(call)].sources.at(0).variable);
    // From the roofline.
    int dot = 0;
    while (board->shown()->kernels.at(static_cast<size_t>(dot)).name != "softmax") ++dot;
    QVERIFY(bench.window.panel("roofline")->command("dot", {QString::number(dot)}));
    QCOMPARE(current(), QString("softmax"));
    QCOMPARE(bench.selection.place().variable, QString("gv"));
    // A layer marks its calls, until it is chosen again.
    QVERIFY(bench.does("profile.shares", {"layer"}) && bench.window.panel("shares")->command("row", {"0"}));
    QVERIFY(!chosenIn("flame").isEmpty() && bench.window.dump("shares").section('\n', 0, 0).endsWith("chosen"));
    QVERIFY(bench.window.panel("shares")->command("row", {"0"}) && chosenIn("flame").isEmpty());
    QVERIFY(bench.does("profile.shares", {"kind"}));
    QVERIFY2(bench.window.dump("shares").contains("reduction"), qPrintable(bench.window.dump("shares")));
    QVERIFY(!bench.window.panel("shares")->command("by", {"planet"}));
    // In a later stage what came of the binding is selected, and the other way round.
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}) && bench.window.panel("roofline")->command("dot", {"0"}) &&
            bench.window.panel("roofline")->command("dot", {QString::number(dot)}));
    QVERIFY(bench.selection.place().stage > 0);
    QCOMPARE(current(), QString("softmax"));
  }

  /// Rows add up to the sum beside the wall clock; the filter leaves rows out, and the flame chart zooms.
  void sumsFiltersAndZoom() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run"));
    auto* board = bench.window.findChild<ProfileBoard*>();
    const QStringList sum = lineWith(bench.window.dump("profile"), "sum of ");
    qint64 calls = 0;
    for (const ProfileRow& row : board->shown()->kernels) calls += row.calls;
    QVERIFY2(sum.value(0) == QString("sum of %1 calls").arg(calls), qPrintable(sum.join('|')));
    QVERIFY2(!lineWith(bench.window.dump("profile"), "allocation and checks").isEmpty(), "allocation is apart");
    const QList<QLabel*> labels = bench.window.panel("profile")->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(
        labels, [](const QLabel* label) { return label->text().startsWith("wall clock ") && label->isVisible(); }));
    QVERIFY(bench.does("profile.filter", {"SOFT"}));
    QVERIFY(lineWith(bench.window.dump("profile"), "matmul").isEmpty());
    QCOMPARE(lineWith(bench.window.dump("profile"), "sum of ").value(0), QString("sum of 1 calls"));
    QCOMPARE(bench.window.dump("flame").count("\n"), 2);
    QVERIFY(bench.does("profile.filter"));
    QVERIFY(!lineWith(bench.window.dump("profile"), "matmul").isEmpty());
    auto* flame = bench.window.panel("flame")->findChild<FlameView*>();
    QWheelEvent wheel({100, 10}, flame->mapToGlobal(QPointF(100, 10)), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(flame, &wheel);
    QVERIFY(flame->zoomed() > 1.5);
    QVERIFY(bench.does("profile.flameSmaller") && bench.does("profile.flameFit"));
    QCOMPARE(flame->zoomed(), 1.0);
  }

  /// Two profiles: the same work is found under other names, and what is done otherwise is said.
  void whyTheDifference() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}) && bench.does("profile.run"));
    QVERIFY(bench.does("select.binding", {"lv5"}));
    const QString details = bench.window.dump("roofline");
    QVERIFY2(details.contains("matmul + add") && details.contains("host.Products; in A by no rule"),
             qPrintable(details));
    QVERIFY2(details.contains("A does it in 2 calls of 2 kernels"), qPrintable(details));
    QVERIFY2(details.contains("Why B is "), qPrintable(details));
    // Weights that are made ready in each run say so.
    auto* board = bench.window.findChild<ProfileBoard*>();
    int dot = 0;
    while (!board->shown()->kernels.at(static_cast<size_t>(dot)).weightsOnly) ++dot;
    QVERIFY(bench.window.panel("roofline")->command("dot", {QString::number(dot)}));
    QVERIFY2(bench.window.dump("roofline").contains("reads nothing but weights"),
             qPrintable(bench.window.dump("roofline")));
  }

  /// Profiles are kept under their names; any two are held against each other, and each goes out as files and text.
  void kept() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}) && bench.does("profile.run") && bench.does("profile.run"));
    Panel* list = bench.window.panel("profiles");
    QVERIFY(list && list->isVisible());
    const auto marks = [&] {
      QStringList each;
      for (const QString& line : list->dump().split('\n').mid(0, 3)) each << line.section('\t', 0, 0);
      return each;
    };
    QCOMPARE(marks(), (QStringList{"", "A", "B"}));
    QVERIFY(bench.does("profile.against", {"1"}));
    QCOMPARE(marks(), (QStringList{"A", "", "B"}));
    // What is shown and what it is held against change places; what becomes A gives way to what was B before.
    QVERIFY(bench.does("profile.show", {"1"}));
    QCOMPARE(marks(), (QStringList{"B", "", "A"}));
    QVERIFY(bench.does("profile.against", {"1"}));
    QCOMPARE(marks(), (QStringList{"A", "", "B"}));
    QVERIFY(bench.does("profile.rename", {"before", "lunch"}));
    QVERIFY2(list->dump().contains("B\tbefore lunch\t"), qPrintable(list->dump()));
    for (const char* said : {"Conditions of B", "optimized", "GFLOP/s", " of "})
      QVERIFY2(list->dump().contains(said), qPrintable(list->dump()));
    // Out by buttons that are in sight, and in again.
    const auto press = [&](const QString& text) {
      for (QToolButton* button : bench.window.panel("profile")->findChildren<QToolButton*>())
        if (button->text() == text && button->isVisible()) return button->click(), true;
      return false;
    };
    QVERIFY(press("Copy as text"));
    QCOMPARE(QGuiApplication::clipboard()->text(), bench.window.dump("profile"));
    const QString json = folder_.filePath("kept.json"), trace = folder_.filePath("kept.trace.json");
    QVERIFY(bench.does("profile.save", {json}) && bench.does("profile.saveTrace", {trace}));
    const QJsonArray events = QJsonDocument::fromJson(contentOf(trace))["traceEvents"].toArray();
    const auto* board = bench.window.findChild<ProfileBoard*>();
    QCOMPARE(static_cast<size_t>(events.size()), board->shown()->flame.size());
    QVERIFY(events[0]["dur"].toDouble() > 0 && !events[0]["name"].toString().isEmpty());
    QVERIFY(press("JSON…") && press("Chrome trace…"));
    for (QDialog* dialog : bench.window.findChildren<QDialog*>()) dialog->close();
    QVERIFY(bench.does("profile.load", {json}));
    QVERIFY2(list->dump().contains("B\tkept.json\t"), qPrintable(list->dump()));
    QVERIFY(bench.does("profile.remove") && bench.does("profile.remove", {"2"}));
    QCOMPARE(board->entries().size(), size_t{2});
    QVERIFY(!bench.window.run("profile.remove", {"7"}) && !bench.window.run("profile.save", {"/nowhere/p.json"}));
  }

  /// A share of the time filters table, flame chart and roofline, and kernels count the calls in it alone.
  void partsAlone() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("profile.run"));
    auto* board = bench.window.findChild<ProfileBoard*>();
    Panel* shares = bench.window.panel("shares");
    const auto rowOf = [&](const QString& name) {
      const QStringList lines = shares->dump().split('\n');
      for (int i = 0; i < lines.size(); ++i)
        if (lines[i].startsWith(name + '\t')) return QString::number(i);
      return QString("none");
    };
    const QString all = bench.window.dump("profile");
    QVERIFY(bench.does("profile.shares", {"kind"}) && shares->command("row", {rowOf("reduction")}));
    QVERIFY(shares->dump().contains("\tchosen"));
    QString dump = bench.window.dump("profile");
    QVERIFY2(!lineWith(dump, "softmax").isEmpty() && lineWith(dump, "matmul").isEmpty(), qPrintable(dump));
    QVERIFY2(!lineWith(dump, "sum of 1 calls").isEmpty(), qPrintable(dump));
    QCOMPARE(bench.window.dump("flame").count('\n'), 2);
    QVERIFY2(bench.window.dump("roofline").startsWith("1 kernels under"), qPrintable(bench.window.dump("roofline")));
    // The button above the table says it and lets go of it, as the share does.
    auto* chip = bench.window.panel("profile")->findChild<QToolButton*>("profileScope");
    QVERIFY(chip && chip->isVisible() && chip->text() == "reduction");
    chip->click();
    QVERIFY(!chip->isVisible());
    QCOMPARE(bench.window.dump("profile"), all);
    // A layer: what it takes in the table is its share, the machine's own part in it included.
    QVERIFY(bench.does("profile.shares", {"layer"}) && shares->command("row", {rowOf("gv")}));
    double sum = 0, layer = 0;
    for (const ProfileRow& row : board->rowsOf(*board->shown())) sum += row.nanoseconds;
    for (const ProfileRow& row : board->layersHere(*board->shown()))
      if (row.name == "gv") layer = row.nanoseconds;
    QVERIFY(layer > 0 && std::abs(sum - layer) < 1e-6 * layer);
    QVERIFY(shares->command("row", {rowOf("gv")}));
    QCOMPARE(bench.window.dump("profile"), all);
  }

  /// From a row of the profile to what its code waits for, without a stage or a kernel being selected.
  void whySlow() {
    LiveBench bench;
    bench.window.resize(1900, 1000);
    QVERIFY(bench.open("mlp") && bench.does("pass.pipeline", {"optimized"}) && bench.does("profile.run"));
    QVERIFY(!bench.window.run("kernel.why"));
    auto* board = bench.window.findChild<ProfileBoard*>();
    const auto row = std::ranges::find_if(board->shown()->kernels, &ProfileRow::kernel);
    QVERIFY(row != board->shown()->kernels.end());
    board->choose({.kernel = row->name});
    QCOMPARE(bench.selection.place().stage, 0);
    QVERIFY(bench.does("kernel.why"));
    const QString dump = bench.window.dump("kernel");
    QVERIFY2(dump.contains("By rule: ") && dump.contains("% of the time: loop of lines "), qPrintable(dump.left(900)));
  }

  /// A profile from a machine that others kept busy says so, and so do its limits.
  void busyMachine() {
    const QString path = folder_.filePath("busy.json");
    QVERIFY(write(path, R"({"function": "main", "runs": 3, "wall_nanoseconds": 40000, "sum_nanoseconds": 30000,
      "spread": 0.4, "busy": 0.61,
      "apart": "the rows are of other runs than the wall clock, and runs differed by 40 %", "kernels": [
        {"name": "k", "kernel": true, "calls": 1, "nanoseconds": 30000, "share": 1, "flops": 1000, "bytes": 900,
         "of_limit": 0.1, "limited_by": "its code", "rules": [], "no_rule": "host.Products: no sum of products",
         "arguments": [{"type": "(4, 7) float32", "shape": [4, 7], "written": true}]}],
      "calls": [], "hardware": {"one": {"flops_per_second": 1e11, "bytes_per_second": 4e10}, "busy": 0.35,
                                "vector_bits": 512}})"));
    LiveBench bench;
    QVERIFY(bench.does("profile.load", {path}));
    const QString dump = bench.window.dump("profile"), limits = bench.window.dump("roofline");
    QVERIFY2(dump.contains("Other programs took 61 % of the processors' time during the profile"), qPrintable(dump));
    QVERIFY2(dump.contains("of other runs than the wall clock, and runs differed by 40 %"), qPrintable(dump));
    QVERIFY2(dump.contains("measured while other programs took 35 %"), qPrintable(dump));
    QVERIFY2(limits.contains("Measured while other programs took 35 %"), qPrintable(limits));
    QVERIFY(bench.window.panel("roofline")->command("dot", {"0"}));
    const QString why = bench.window.dump("roofline");
    QVERIFY2(why.contains("No rule applied: host.Products: no sum of products"), qPrintable(why));
    QVERIFY2(why.contains("rows of 7 elements, and a vector register holds 16"), qPrintable(why));
    QVERIFY(!bench.window.panel("roofline")->command("dot", {"many"}));
  }

  /// What lies in caches is no fraction of what memory gives.
  void limits() {
    QVERIFY(QDir(folder_.path()).exists());
    const QString path = folder_.filePath("limits.json");
    QVERIFY(write(path, R"({"function": "main", "runs": 3, "wall_nanoseconds": 30000, "sum_nanoseconds": 30000,
      "kernels": [
        {"name": "near", "kernel": true, "calls": 1, "nanoseconds": 10000, "share": 0.3, "flops": 1000, "bytes": 900000,
         "of_limit": 2.16, "limited_by": "cache"},
        {"name": "far", "kernel": true, "calls": 1, "nanoseconds": 20000, "share": 0.7, "flops": 1000, "bytes": 90000,
         "of_limit": 0.67, "limited_by": "memory"}],
      "calls": [], "hardware": {"one": {"flops_per_second": 1e11, "bytes_per_second": 4e10}}})"));
    LiveBench bench;
    QVERIFY(bench.does("profile.load", {path}));
    const QString dump = bench.window.dump("profile");
    QVERIFY2(lineWith(dump, "near").contains("2.2 × memory"), qPrintable(dump));
    QVERIFY2(lineWith(dump, "far").contains("67 %") && !lineWith(dump, "far").contains("×"), qPrintable(dump));
    // What is many times as fast is no percentage.
    const QByteArray faster = contentOf(path).replace("\"nanoseconds\": 10000", "\"nanoseconds\": 400");
    QVERIFY(write(folder_.filePath("faster.json"), faster));
    QVERIFY(bench.does("profile.load", {folder_.filePath("faster.json")}));
    QVERIFY2(lineWith(bench.window.dump("profile"), "near").contains("÷ 25"), qPrintable(bench.window.dump("profile")));
  }

  void files_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("profile of main: 3 ms");
    QTest::newRow("cut") << QByteArray(R"({"kernels": [], "calls": [{"name": "a")");
    QTest::newRow("another object") << QByteArray(R"({"kernels": []})");
    QTest::newRow("a list") << QByteArray("[1, 2]");
  }
  void files() {
    QFETCH(QByteArray, content);
    LiveBench bench;
    const QString good = folder_.filePath("good.json"), bad = folder_.filePath("bad.json");
    QVERIFY(write(good, R"({"function": "f", "runs": 3, "wall_nanoseconds": 2e6, "sum_nanoseconds": 1.9e6,
      "kernels": [{"name": "k", "kernel": true, "calls": 2, "nanoseconds": 1.9e6, "share": 1, "flops": 3.8e6,
                   "bytes": 100, "of_limit": 0.2, "limited_by": "its code", "from": []}],
      "calls": [{"name": "y", "callee": "k", "kernel": true, "nanoseconds": -1, "from": [{"binding": "x"}]}],
      "no_occupancy": "ptxas is not there",
      "flame": [[0, 0, 1e6, 1], [7, 0, 1, 1], "no event"], "hardware": {"one": {"flops_per_second": 1e11}}})"));
    QVERIFY(write(bad, content));
    QVERIFY(bench.does("profile.load", {good}));
    const QString shown = bench.window.dump("profile");
    QVERIFY2(lineWith(shown, "its code").contains("2"), qPrintable(shown));  // GFLOP/s
    QVERIFY2(shown.contains("Occupancy is not known: ptxas is not there"), qPrintable(shown));
    QVERIFY(!bench.window.run("profile.load", {bad}));
    QVERIFY(!bench.window.run("profile.load", {folder_.path()}));
    QVERIFY(!bench.window.run("profile.load", {"/nowhere/p.json"}));
    QCOMPARE(bench.window.dump("profile"), shown);
  }
};

QTEST_MAIN(LiveProfileTest)
#include "tst_live_profile.moc"
