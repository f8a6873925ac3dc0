// A folder that `rxs run --trace` wrote, in the real window: its values as a list, their tensors in Values, and what is
// no such folder.
#include <QDir>
#include <QProcess>

#include "live_bench.h"
#include "views/panels/values/tensor_study.h"
#include "views/panels/values/values_panel.h"

using namespace rx;
using namespace rx::views;

class LiveTracedTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString trace() const { return folder_.filePath("trace"); }

  /// A copy of the folder, one of its files replaced.
  QString damaged(const QString& name, const QString& file, const QByteArray& bytes) {
    const QString copy = folder_.filePath(name);
    QDir().mkpath(copy);
    for (const QFileInfo& one : QDir(trace()).entryInfoList(QDir::Files))
      QFile::copy(one.filePath(), copy + '/' + one.fileName());
    QFile::remove(copy + '/' + file);
    if (!bytes.isNull()) write(copy + '/' + file, bytes);
    return copy;
  }

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    QCOMPARE(QProcess::execute(kTool, {"run", kSamples + "mlp", "--trace", trace()}), 0);
  }

  /// Without a module and without an engine: every value with its statistics, the chosen one's numbers beside.
  void opens() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {trace()}));
    const QString list = bench.window.dump("traced");
    const std::vector<TracedRow>& rows = bench.debug.traced().rows;
    QVERIFY(!rows.empty());
    QCOMPARE(list.count('\n') + 1, static_cast<qsizetype>(rows.size()));
    for (const char* part : {"main\tlv\tcall reshape", "(1, 784)\tf32\t0\t1\t0\t0", "main\tgv\tcall softmax"})
      QVERIFY2(list.contains(part), part);
    QVERIFY(bench.window.panel("traced")->isVisible());
    auto* values = static_cast<ValuesPanel*>(bench.window.panel("values"));
    values->bringUpToDate();
    QVERIFY(QTest::qWaitFor([&] { return !values->busy() && values->study()->survey(); }, kPatience));
    QCOMPARE(values->study()->survey()->count, 784);
    QVERIFY(!values->study()->page()->slice().values.empty());
    const auto last = static_cast<int>(rows.size()) - 1;
    QVERIFY(bench.does("view.panelCommand", {"traced", "show", QString::number(last)}));
    values->bringUpToDate();
    QVERIFY(QTest::qWaitFor([&] { return !values->busy() && values->study()->value().shape == "(1, 10)"; }, kPatience));
    QVERIFY2(values->dump().contains("gv (1, 10) float32"), qPrintable(values->dump()));
    QVERIFY(bench.does("export.value", {folder_.filePath("gv.npy")}));
    QCOMPARE(contentOf(folder_.filePath("gv.npy")), contentOf(trace() + '/' + rows.back().file));
  }

  /// With its module: a row selects its binding, and another selection shows that again.
  void followsTheModule() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("file.open", {trace() + "/trace.json"}));
    const auto last = static_cast<int>(bench.debug.traced().rows.size()) - 1;
    QVERIFY(bench.does("view.panelCommand", {"traced", "show", QString::number(last)}));
    QCOMPARE(bench.selection.place().variable, QString("gv"));
    QCOMPARE(bench.debug.traced().shown, last);
    QVERIFY(bench.does("select.binding", {"lv3"}));
    QCOMPARE(bench.debug.traced().shown, -1);
    QVERIFY(bench.does("file.close"));
    QVERIFY(bench.debug.traced().rows.empty());
  }

  void refusals_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("reason");
    const QByteArray list = contentOf(trace() + "/trace.json");
    const QByteArray first = "00000_main_lv.npy";
    const QString result = QDir(trace()).entryList({"*_main_gv.npy"}).value(0);
    const auto with = [&](const char* from, const char* to) { return QByteArray(list).replace(from, to); };
    QTest::newRow("no JSON") << QString("trace.json") << list.left(list.size() / 2) << QString("no JSON");
    QTest::newRow("foreign") << QString("trace.json") << QByteArray("{\"traceEvents\": []}")
                             << QString("not the list of a folder");
    QTest::newRow("later") << QString("trace.json") << with("\"version\": 1", "\"version\": 2") << QString("version 2");
    QTest::newRow("outside") << QString("trace.json") << with("00000_main_lv.npy", "../00000_main_lv.npy")
                             << QString("outside");
    QTest::newRow("a missing array") << QString(first) << QByteArray() << QString(first);
    QTest::newRow("a cut array") << QString(first) << contentOf(trace() + '/' + first).left(40) << QString(first);
    QTest::newRow("another array") << QString(first) << contentOf(trace() + '/' + result) << QString("another array");
  }
  void refusals() {
    QFETCH(QString, file);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    LiveBench bench;
    QVERIFY(bench.does("file.open", {trace()}));
    const size_t rows = bench.debug.traced().rows.size();
    const QString folder = damaged(QString(QTest::currentDataTag()).replace(' ', '_'), file, bytes);
    QVERIFY(bench.does("file.open", {folder}));
    const QString error = bench.debug.traced().error;
    QVERIFY2(error.contains(reason), qPrintable(error));
    QVERIFY(QTest::qWaitFor([&] { return bench.window.cardText().contains("does not open"); }, kPatience));
    QVERIFY2(bench.window.cardText().contains(reason), qPrintable(bench.window.cardText()));
    QCOMPARE(bench.debug.traced().rows.size(), rows);  // what was open stays
  }
};

QTEST_MAIN(LiveTracedTest)
#include "tst_live_traced.moc"
