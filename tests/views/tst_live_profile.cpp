// Profiles in the window: made by the real program, shown by kernel and by call, held against each other, loaded from
// files; what is no profile is refused and leaves what was shown.
#include <QTreeView>
#include <cmath>

#include "live_bench.h"
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
    QVERIFY(bench.does("profile.run"));
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
    QVERIFY(titled("ms") && !titled("B ms"));
    QVERIFY(bench.does("profile.show", {"1"}));
    QVERIFY(bench.does("profile.against", {"2"}));
    QVERIFY(titled("B ms") && titled("A ms") && titled("A to B"));
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
