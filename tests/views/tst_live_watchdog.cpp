// The window never waits for its engine: with the engine stopped (signal 19) while things are clicked, the thread of
// the window does not stand still, what is asked comes when the engine goes on, and the run can be ended without it.
#include <QtTest>
#include <csignal>

#include "live_bench.h"
#include "watchdog.h"

using namespace rx::views;

namespace {

constexpr double kMost = 100;  // milliseconds

struct Bench : LiveBench {
  bool signal(int number) {
    const qint64 engine = debug.engineId();
    return engine > 0 && ::kill(static_cast<pid_t>(engine), number) == 0;
  }
};

}  // namespace

class LiveWatchdogTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// The watchdog itself: a thread that sleeps is seen, one that works is not.
  void seesAWait() {
    Watchdog watch;
    QTest::qWait(50);
    watch.restart();
    QThread::msleep(150);
    QTest::qWait(20);
    QVERIFY2(watch.worst() > kMost, qPrintable(QString::number(watch.worst())));
    watch.restart();
    QElapsedTimer work;
    work.start();
    while (work.elapsed() < 150) {
    }
    QTest::qWait(20);
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
  }

  void whileTheEngineStandsStill() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(bench.signal(SIGSTOP));
    Watchdog watch;
    const QList<QStringList> clicks = {
        {"select.binding", "scores"}, {"view.panel", "values"},   {"view.panel", "graph"}, {"debug.toggleBreakpoint"},
        {"debug.goToStep", "1"},      {"debug.stepBack"},         {"debug.pause"},         {"debug.stepOver"},
        {"select.binding", "q"},      {"view.panel", "timeline"}, {"pass.goTo", "1"},      {"view.palette"},
        {"debug.stopOnNonFinite"},    {"view.panel", "inspector"}};
    for (const QStringList& click : clicks) {
      bench.window.run(click.front(), click.mid(1));
      QTest::qWait(30);
    }
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    QVERIFY(!bench.window.settled());
    QVERIFY(bench.signal(SIGCONT));
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QCOMPARE(bench.debug.breakpoints().size(), size_t{1});
  }

  /// It is said that the engine is silent, and the run ends without its help.
  void endsWithoutTheEngine() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.signal(SIGSTOP));
    QVERIFY(bench.window.run("debug.continue"));
    Watchdog watch;
    QVERIFY(QTest::qWaitFor([&] { return bench.window.statusText().contains("the engine says nothing"); }, 6000));
    QVERIFY(bench.window.run("debug.stop"));
    QCOMPARE(bench.debug.state(), RunState::Off);
    QTest::qWait(50);
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }

  void whileItStarts() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    Watchdog watch;
    QVERIFY(bench.window.run("debug.start", {"main"}));
    QVERIFY(bench.signal(SIGSTOP));
    QTest::qWait(200);
    QCOMPARE(bench.debug.state(), RunState::Starting);
    QVERIFY(bench.window.statusText().contains("Starting"));
    QVERIFY(bench.window.run("debug.stop"));
    QVERIFY(bench.window.run("debug.start", {"main"}));
    QVERIFY(bench.settle());
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }

  /// A run is begun again over an engine that answers nothing.
  void restartsWhileTheEngineStandsStill() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"2"}));
    QVERIFY(bench.signal(SIGSTOP));
    Watchdog watch;
    QVERIFY(bench.window.run("debug.restart"));
    QVERIFY(bench.settle());
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.does("debug.stepOver"));
  }

  /// The engine dies with requests under way, and while it is being asked more.
  void whileTheEngineDies() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    Watchdog watch;
    QVERIFY(bench.window.run("debug.continue"));
    QVERIFY(bench.signal(SIGKILL));
    for (const QStringList& click : {QStringList{"debug.pause"}, {"debug.stepBack"}, {"select.binding", "scores"}})
      bench.window.run(click.front(), click.mid(1));
    QVERIFY(bench.settle());
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
  }

  /// What `rxs` does beside the window, with an `rxs` that stands still: nobody waits, and it can be given up.
  void toolsThatStandStill_data() {
    QTest::addColumn<QStringList>("line");
    QTest::newRow("profile") << QStringList{"profile.run"};
    QTest::newRow("compare runs") << QStringList{"debug.compareRuns", "cpu", "main"};
    QTest::newRow("export") << QStringList{"export.package", folder_.filePath("package")};
    QTest::newRow("run") << QStringList{"debug.start", "main"};
  }
  void toolsThatStandStill() {
    QFETCH(QStringList, line);
    Bench bench;
    QVERIFY(bench.open("mlp"));
    // The tool stops itself before it is `rxs`, and its id is known.
    const QString program = folder_.filePath("rxs"), id = folder_.filePath("id");
    QFile::remove(id);
    QVERIFY(write(program,
                  "#!/bin/sh\necho $$ > " + id.toUtf8() + "\nkill -STOP $$\nexec " + kTool.toUtf8() + " \"$@\"\n"));
    QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    qputenv("RELAXSCOPE_RXS", program.toUtf8());
    const auto back = qScopeGuard([] { useBuiltProgram(); });
    Watchdog watch;
    QVERIFY2(bench.window.run(line[0], line.mid(1)), qPrintable(bench.window.lastError()));
    QVERIFY(QTest::qWaitFor([&] { return contentOf(id).endsWith('\n'); }, kPatience));
    for (const QStringList& click : {QStringList{"pass.next"}, {"view.panel", "graph"}, {"view.panel", "ir"}})
      bench.window.run(click.front(), click.mid(1));
    QTest::qWait(100);
    QVERIFY(!bench.window.settled());
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    bench.window.run(line[0] == "debug.start" ? "debug.stop" : "pass.cancel");
    QVERIFY(bench.settle());
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
    // It is gone: nothing of it goes on behind the window's back.
    const auto gone = [&] { return ::kill(static_cast<pid_t>(contentOf(id).trimmed().toInt()), 0) != 0; };
    QVERIFY(QTest::qWaitFor(gone, kPatience));
    useBuiltProgram();
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }

  void closesWhileTheEngineStandsStill() {
    auto bench = std::make_unique<Bench>();
    QVERIFY(bench->open("mlp"));
    QVERIFY(bench->does("debug.start", {"main"}));
    QVERIFY(bench->signal(SIGSTOP));
    Watchdog watch;
    QVERIFY(bench->window.close());
    QTest::qWait(50);
    QVERIFY2(watch.worst() < kMost, qPrintable(QString::number(watch.worst())));
  }
};

QTEST_MAIN(LiveWatchdogTest)
#include "tst_live_watchdog.moc"
