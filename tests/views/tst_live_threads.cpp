// A kernel of a device stepped in the window, by the real engine: its threads, who waits, what they share, races.
#include <QSpinBox>
#include <QTreeView>

#include "../support/threads_module.h"
#include "live_bench.h"

using namespace rx::views;

class LiveThreadsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// Stands before the kernel, on a device of OpenCL or the host.
  bool start(LiveBench& bench, const char* store, const QString& target) {
    return startText(bench, rx::test::threadsModule(store), target);
  }
  bool startText(LiveBench& bench, const std::string& module, const QString& target) {
    const QString path = folder_.filePath("module.py");
    if (!write(path, QByteArray::fromStdString(module))) return false;
    return bench.does("file.open", {path}) && bench.does("debug.start", {"main", "seed=1", "target=" + target});
  }

 private Q_SLOTS:
  /// Neither PoCL nor we have met the kernels before.
  void initTestCase() {
    useBuiltProgram();
    qputenv("XDG_CACHE_HOME", folder_.filePath("cache").toUtf8());
    qputenv("POCL_CACHE_DIR", folder_.filePath("pocl").toUtf8());
  }

  void stepsThreadsWarpsAndGroups() {
    LiveBench bench;
    QVERIFY(start(bench, "y[t] = ours[7 - t]", "opencl"));
    QVERIFY(!bench.window.run("debug.stepWarp"));
    QVERIFY(bench.does("debug.enterThreads"));
    QVERIFY2(bench.window.panel("threads")->isVisible(), qPrintable(bench.debug.stop().description));
    const auto rows = [&]() -> const std::vector<KernelThreadRow>& { return bench.debug.threads().threads; };
    QCOMPARE(rows().size(), size_t{8});
    QCOMPARE(rows()[3].name, QString("blockIdx (0, 0, 0), threadIdx (3, 0, 0)"));
    const int first = rows()[0].line;
    QVERIFY2(!rows()[0].text.isEmpty(), qPrintable(bench.window.dump("threads")));
    // The chosen thread is the one that moves, and the others stand.
    QVERIFY(bench.does("view.panelCommand", {"threads", "show", "3"}));
    QCOMPARE(bench.debug.threads().current, rows()[3].id);
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(rows()[3].line != first);
    QCOMPARE(rows()[4].line, first);
    for (int i = 0; i < 20 && rows()[3].state != "waits"; ++i) QVERIFY(bench.does("debug.stepOver"));
    const QString dump = bench.window.dump("threads");
    QVERIFY2(dump.contains("7 ready, 1 waits for others"), qPrintable(dump));
    QVERIFY2(dump.contains("memory of the group"), qPrintable(dump));
    // A step back, then all of the warp, which is the whole group here.
    QVERIFY(bench.does("debug.stepBack"));
    QCOMPARE(rows()[3].state, QString("ready"));
    QVERIFY(bench.does("debug.stepWarp"));
    QVERIFY(rows()[7].line != first);
    for (int i = 0; i < 40 && rows()[0].state != "done"; ++i) QVERIFY(bench.does("debug.stepGroup"));
    QVERIFY(bench.window.dump("threads").contains("8 at its end"));
    QVERIFY(bench.debug.threads().races.isEmpty());
    // Out of it: the device makes the call, and the run goes on to its end.
    QVERIFY(bench.does("debug.stepOut"));
    QVERIFY(bench.debug.threads().kernel.isEmpty());
    if (bench.debug.state() != RunState::Ended) QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.debug.result());
  }

  void tellsRaces() {
    LiveBench bench;
    QVERIFY(start(bench, "y[0] = ours[t]", "opencl"));
    QVERIFY(bench.does("debug.enterThreads"));
    for (int i = 0; i < 40 && bench.debug.threads().races.isEmpty(); ++i) QVERIFY(bench.does("debug.stepGroup"));
    const QString dump = bench.window.dump("threads");
    QVERIFY2(dump.contains("threadIdx (1, 0, 0) writes y[0]") || dump.contains("y[0]"), qPrintable(dump));
  }

  /// Any group of any kernel that the function starts can be looked at; one that is not there is said, and all stays.
  void choosesLaunchAndGroup() {
    LiveBench bench;
    QVERIFY(startText(bench, rx::test::twoLaunches(), "opencl"));
    QVERIFY(!bench.window.run("debug.chooseGroup", {"0"}));  // in no kernel yet
    QVERIFY(bench.does("debug.enterThreads"));
    const auto now = [&]() -> const KernelThreads& { return bench.debug.threads(); };
    QCOMPARE(now().groups, (std::vector<qint64>{2, 1, 1}));
    QCOMPARE(now().threads.size(), size_t{4});
    const QString first = now().threads[0].text;
    const qint64 source = now().source;
    const QStringList lines = now().lines;
    QVERIFY2(lines.size() > 8, qPrintable(lines.join("\n")));
    // The whole text is there, with who stands where.
    QVERIFY2(bench.window.dump("threads").contains(lines[now().threads[0].line - 1].trimmed()),
             qPrintable(bench.window.dump("threads")));
    QVERIFY(bench.does("debug.chooseGroup", {"1", "1"}));
    QCOMPARE(now().launch, 1);
    QCOMPARE(now().group, (std::vector<qint64>{1, 0, 0}));
    QCOMPARE(now().threads[2].name, QString("blockIdx (1, 0, 0), threadIdx (2, 0, 0)"));
    QVERIFY(now().threads[0].text != first);
    // The text is that of the function, which the engine says once.
    QCOMPARE(now().source, source);
    QCOMPARE(now().lines, lines);
    auto* group = bench.window.panel("threads")->findChildren<QSpinBox*>().value(1);
    QVERIFY(group && group->isVisible());
    QCOMPARE(group->value(), 1);
    QCOMPARE(group->maximum(), 1);
    // Steps are of it, and back goes to its beginning.
    const int begin = now().threads[0].line;
    for (int i = 0; i < 20 && now().threads[0].state != "done"; ++i) QVERIFY(bench.does("debug.stepGroup"));
    QCOMPARE(now().threads[3].state, QString("done"));
    QVERIFY(bench.does("debug.stepBack"));
    QCOMPARE(now().launch, 1);
    // By the number in the panel.
    group->setValue(0);
    QVERIFY(bench.settle());
    QTRY_COMPARE(now().group, (std::vector<qint64>{0, 0, 0}));
    QCOMPARE(now().threads[0].line, begin);
    QVERIFY(bench.does("debug.chooseGroup", {"7"}));
    QVERIFY2(bench.debug.stop().description.contains("starts 2 kernels"), qPrintable(bench.debug.stop().description));
    QCOMPARE(now().launch, 1);
    QVERIFY(bench.does("debug.chooseGroup", {"0", "9"}));
    QVERIFY2(bench.debug.stop().description.contains("no group (9, 0, 0)"), qPrintable(bench.debug.stop().description));
    QCOMPARE(now().launch, 1);
    QVERIFY(!bench.window.run("debug.chooseGroup", {"x"}));
    QVERIFY(bench.does("debug.stepOut"));
    QVERIFY(now().kernel.isEmpty());
  }

  /// On the host there are no threads to step, and the run stands where it stood.
  void notOnTheHost() {
    LiveBench bench;
    QVERIFY(start(bench, "y[t] = x[t]", "llvm"));
    const int step = bench.debug.stop().step;
    QVERIFY(bench.does("debug.enterThreads"));
    QVERIFY(bench.debug.threads().kernel.isEmpty());
    QVERIFY2(bench.debug.stop().description.contains("starts no kernel of a device"),
             qPrintable(bench.debug.stop().description));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QCOMPARE(bench.debug.stop().step, step);
    QVERIFY(!bench.window.run("debug.stepGroup"));
  }
};

QTEST_MAIN(LiveThreadsTest)
#include "tst_live_threads.moc"
