// A kernel of a device stepped in the window, by the real engine: its threads, who waits, what they share, races.
#include <QTreeView>

#include "../support/threads_module.h"
#include "live_bench.h"

using namespace rx::views;

class LiveThreadsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// Stands before the kernel, on a device of OpenCL or the host.
  bool start(LiveBench& bench, const char* store, const QString& target) {
    const QString path = folder_.filePath("module.py");
    if (!write(path, QByteArray::fromStdString(rx::test::threadsModule(store)))) return false;
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
