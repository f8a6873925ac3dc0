// Passes run once: the engine of a run gets what the window's passes made.
#include <sys/resource.h>

#include <QTemporaryDir>
#include <algorithm>
#include <optional>

#include "live_bench.h"
#include "views/models/worker.h"
#include "views/session/beside.h"

using namespace rx;
using namespace rx::views;

class LiveStagesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString log() const { return folder_.filePath("messages"); }

  /// What clients asked to launch, one object a launch.
  std::vector<dap::Json> launches() const {
    std::vector<dap::Json> found;
    for (const QByteArray& line : contentOf(log()).split('\n')) {
      const qsizetype at = line.indexOf('{');
      const dap::Json message = at < 0 ? dap::Json() : dap::Json::parse(line.mid(at).toStdString(), nullptr, false);
      if (message.is_object() && message.value("command", "") == "launch" && message.value("type", "") == "request")
        found.push_back(message["arguments"]);
    }
    return found;
  }

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    // The engine of the window, with its messages in a file.
    const QString program = folder_.filePath("rxs");
    QVERIFY(write(program, "#!/bin/sh\nshift\nexec " + kTool.toUtf8() + " dap --log " + log().toUtf8() + " \"$@\"\n"));
    QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    qputenv("RELAXSCOPE_RXS", program.toUtf8());
  }
  void init() { QFile::remove(log()); }

  /// Where no thread of the pool is free, the one that waits does the work; what nobody waits for is not begun.
  void workBesideNeedsNoThread() {
    QThreadPool pool;
    pool.setMaxThreadCount(1);
    std::promise<int> got;
    pool.start([&] {
      Beside<int> work([] { return 7; });
      work.startOn(pool);
      got.set_value(work.get());
    });
    std::future<int> seven = got.get_future();
    QCOMPARE(seven.wait_for(std::chrono::seconds(10)), std::future_status::ready);
    QCOMPARE(seven.get(), 7);
    std::promise<void> free;
    pool.start([waits = free.get_future().share()] { waits.wait(); });
    bool begun = false;
    {
      Beside<int> dropped([&begun] { return begun = true, 0; });
      dropped.startOn(pool);
    }
    free.set_value();
    QVERIFY(pool.waitForDone(10000));
    QVERIFY(!begun);
  }

  /// With more work than processors the thread of the window does not wait for its turn.
  void workersGiveWay() {
    QThreadPool pool;
    pool.setMaxThreadCount(1);
    std::optional<int> nice;
    for (int i = 0; i < 2; ++i) {  // the same thread
      nice.reset();
      runOnWorker(
          pool, this, [] { return getpriority(PRIO_PROCESS, 0); }, [&nice](int value) { nice = value; });
      QVERIFY(QTest::qWaitFor([&nice] { return nice.has_value(); }, 10000));
      QCOMPARE(*nice, std::min(19, getpriority(PRIO_PROCESS, 0) + 5));
    }
  }

  void everyPassRunsOnce() {
    std::map<int, int> ran;  // how often each row began to run
    std::map<int, bool> running;
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    connect(&bench.document, &Document::stepsChanged, this, [&] {
      for (const StepRow& row : bench.document.steps()) {
        const bool now = row.state == StepState::Running;
        ran[row.number] += now && !std::exchange(running[row.number], now);
        running[row.number] = now;
      }
    });
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    const int last = static_cast<int>(bench.document.steps().size()) - 1;
    QCOMPARE(bench.document.lastStage(), last);
    for (int i = 1; i <= last; ++i) QCOMPARE(ran[i], i > 4 ? 1 : 0);  // LegalizeOps is the fourth and ran before
    // The engine was given no pass to run, and nothing to read that it could run one on.
    const std::vector<dap::Json> asked = launches();
    QCOMPARE(asked.size(), size_t(2));
    for (const dap::Json& launch : asked) {
      QVERIFY(!launch.value("stages", "").empty());
      QCOMPARE(launch.value("passes", ""), std::string());
      QCOMPARE(launch.value("program", ""), std::string());
    }
    QCOMPARE(asked[0]["stages"], asked[1]["stages"]);
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.debug.result());
  }

  void aChangedPipelineIsSentAnew() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(bench.does("pass.pipeline", {"ConvertToDataflow(), " + bench.document.pipeline()}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    const std::vector<dap::Json> asked = launches();
    QCOMPARE(asked.size(), size_t(2));
    QVERIFY(asked[0]["stages"] != asked[1]["stages"]);
  }

  /// The rows of a stage begin while its pass is still being checked: whenever the passes are cancelled or the module
  /// is closed, every stage that stays is what its pass made.
  void rowsThatBeganEarly() {
    LiveBench whole;
    QVERIFY(whole.open("decoder"));
    QVERIFY(whole.does("pass.last"));
    const int last = whole.document.lastStage();
    QVERIFY(last > 10);
    const StageIndexPtr wanted = whole.document.stage(last, false);
    QVERIFY(wanted);
    LiveBench bench;
    QVERIFY(bench.open("decoder"));
    for (int wait = 0; wait < 100; wait += 10) {
      QVERIFY(bench.does("file.close"));
      QVERIFY(bench.open("decoder"));
      bench.document.runPassesTo(last);
      QTest::qWait(wait);
      if (wait % 20 == 10) {
        QVERIFY(bench.does("file.reload"));
      } else {
        bench.window.run("pass.cancel");
        QVERIFY(bench.settle());
      }
      QVERIFY(!bench.document.stage(bench.document.lastStage() + 1, false));
      bench.document.runPassesTo(last);
      QVERIFY(bench.settle());
      QTRY_VERIFY(bench.document.stage(last));
      const StageIndexPtr made = bench.document.stage(last);
      QCOMPARE(made->text, wanted->text);
      QCOMPARE(made->functions.size(), wanted->functions.size());
    }
  }

  void aPassThatFailsIsTheFailure() {
    LiveBench bench;
    QVERIFY(write(folder_.filePath("module.py"), contentOf(kSamples + "mlp/module.py")));
    QVERIFY(bench.does("file.open", {folder_.filePath("module.py")}));
    QVERIFY(bench.does("pass.pipeline", {"LegalizeOps(), ApplySchedules(rules=[\"host.Nothing\"])"}));
    bench.window.run("debug.start", {"main", "seed=1"});
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.failure() != nullptr; }, kPatience));
    QCOMPARE(bench.debug.failure()->rule, QString("pass.option-value"));
    QCOMPARE(bench.debug.state(), RunState::Off);
    QVERIFY(launches().empty());
  }
};

QTEST_MAIN(LiveStagesTest)
#include "tst_live_stages.moc"
