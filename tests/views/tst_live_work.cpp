// While something runs: what, where, how far, and that it can be paused; what is cancelled leaves nothing behind.
#include <QFileInfo>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <csignal>
#include <optional>
#include <set>
#include <vector>

#include "card_bench.h"
#include "tab_bench.h"
#include "views/shell/script_runner.h"
#include "views/shell/status_strip.h"

using namespace rx;
using namespace rx::views;

class LiveWorkTest : public QObject {
  Q_OBJECT

 private:
  /// A module that runs for seconds.
  bool writeSlow() const {
    QByteArray text =
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((320, 320), \"float32\")):\n";
    QByteArray last = "x";
    for (int i = 0; i < 8; ++i) {
      const QByteArray name = "big" + QByteArray::number(i);
      text += "        " + name + " = R.matmul(" + last + ", x)\n";
      last = name;
    }
    return write(path("slow.py"), text + "        return " + last + "\n");
  }

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    QVERIFY(folder_.isValid());
  }

  /// While it runs: what, where, how far; the timeline grows, and it can be paused.
  void whatRuns() {
    CardBench bench;
    QVERIFY(writeSlow());
    QVERIFY(bench.does("file.open", {path("slow.py")}));
    QSignalSpy grown(&bench.debug, &DebugSession::traceChanged);
    // The first word about how far it is names what runs: the next one may come when a long kernel has ended.
    std::optional<QString> first;
    connect(&bench.debug, &DebugSession::progressChanged, this, [&] {
      if (const RunProgress at = bench.debug.progress(); !first && at.steps > 0) first = at.what;
    });
    QVERIFY(bench.window.run("debug.start", {"main", "seed=1", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Starting);
    QVERIFY2(bench.window.dump("timeline").startsWith("compiling"), qPrintable(bench.window.dump("timeline")));
    const auto multiplies = [&] { return bench.window.statusText().contains("Running matmul for big"); };
    QVERIFY2(QTest::qWaitFor(multiplies, kPatience), qPrintable(bench.window.statusText()));
    QCOMPARE(bench.debug.state(), RunState::Running);
    QVERIFY(first && !first->isEmpty());
    QVERIFY(bench.window.enabled("debug.pause"));
    // The instructions that it runs by are listed meanwhile.
    QVERIFY2(bench.window.dump("bytecode").contains("call matmul"), qPrintable(bench.window.dump("bytecode")));
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.recorded() > 0; }, kPatience));
    QCOMPARE(bench.debug.state(), RunState::Running);
    QVERIFY(!grown.isEmpty());
    QVERIFY(bench.window.run("debug.pause"));
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.window.enabled("debug.pause"));
    QVERIFY(bench.does("debug.stop"));
  }

  /// A line of a script that goes on while its command is at work, for pictures of what that looks like.
  void scriptsGoOn() {
    LiveBench bench;
    QVERIFY(writeSlow() && bench.does("file.open", {path("slow.py")}));
    ScriptRunner runner(&bench.window, "script",
                        "begin debug.start main seed=1 stop=none\nexpect working\ndebug.stop\n"
                        "fails begin no.command\n");
    bool ended = false;
    connect(&runner, &ScriptRunner::finished, &bench.window, [&] { ended = true; });
    runner.start();
    QVERIFY(QTest::qWaitFor([&] { return ended; }, kPatience));
    QVERIFY2(!runner.failed(), qPrintable(runner.report().join('\n')));
  }

  void cancelLeavesNothing() {
    CardBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.window.run("pass.last"));
    QVERIFY(bench.window.run("pass.cancel"));
    QVERIFY(bench.settle());
    const int stage = bench.selection.place().stage;
    QVERIFY(bench.document.stage(stage, false));
    for (QLabel* label : bench.window.panel("ir")->findChildren<QLabel*>())
      QVERIFY2(!label->isVisible() || !label->text().contains("being made"), qPrintable(label->text()));
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.selection.place().stage > stage);
  }

  /// What `rxs` does for the window ends by the same command, from the status bar too, and leaves nothing behind: no
  /// files, no error, and the next one can start.
  void cancelEndsExportsAndProfiles() {
    CardBench bench;
    QVERIFY(bench.open("decoder"));
    QVERIFY(!bench.window.enabled("pass.cancel"));
    QTemporaryDir folder;
    const QString target = folder.filePath("package");
    using Words = QStringList;
    for (const Words& work : {Words{"export.package", target}, Words{"profile.run"}}) {
      QVERIFY(bench.window.run(work[0], work.mid(1)));
      QVERIFY(bench.window.enabled("pass.cancel"));
      QToolButton* cancel = nullptr;
      for (QToolButton* button : bench.window.findChild<StatusStrip*>()->findChildren<QToolButton*>())
        if (button->isVisible() && button->text() == "Cancel") cancel = button;
      QVERIFY(cancel);
      cancel->click();
      QVERIFY(bench.settle());
      QVERIFY2(bench.window.statusText().contains("cancelled"), qPrintable(bench.window.statusText()));
      QVERIFY(!cancel->isVisible() && !bench.window.enabled("pass.cancel") && !bench.card->isVisible());
      for (const LogLine& line : bench.debug.log()) QVERIFY2(line.kind != LogLine::Kind::Error, qPrintable(line.text));
    }
    QVERIFY(!QFileInfo::exists(target));
    QVERIFY(bench.does("export.package", {target}));
    QVERIFY(QFileInfo::exists(target + "/manifest.json"));
  }

  /// Tabs are closed while what stands in them is read, runs through its passes, starts, runs, steps, is measured,
  /// searched or written: the others go on with theirs, and no process stays behind.
  void tabsCloseAtAnyMoment_data() {
    QTest::addColumn<quint32>("seed");
    for (quint32 seed = 1; seed <= 12; ++seed) QTest::addRow("seed %u", seed) << seed;
  }
  void tabsCloseAtAnyMoment() {
    QFETCH(quint32, seed);
    QRandomGenerator random(seed);
    QVERIFY(writeSlow());
    QTemporaryDir folder;
    const std::vector<QStringList> works = {{"debug.start", "main", "seed=1"},
                                            {"debug.start", "main", "seed=1", "stop=none"},
                                            {"pass.last"},
                                            {"profile.run"},
                                            {"search.find", "matmul"},
                                            {"export.package", folder.filePath("package")},
                                            {"file.open", kSamples + "attention"},
                                            {"debug.continue"},
                                            {"debug.stepOver", "3"}};
    const QStringList files = {kSamples + "decoder", kSamples + "mlp", path("slow.py"), kSamples + "attention"};
    std::set<qint64> engines;
    {
      TabBench bench;
      QVERIFY(bench.does("file.open", {files[0]}));
      for (int i = 1; i < 4; ++i) {
        QVERIFY(bench.tabs.openTab(files[i]).isEmpty());
        if (random.bounded(2)) QVERIFY(bench.settle());
      }
      while (bench.tabs.tabCount() > 1) {
        for (int i = 0, count = 1 + random.bounded(3); i < count; ++i) {
          const QStringList& work = works[random.bounded(static_cast<int>(works.size()))];
          bench.tabs.current().run(work[0], work.mid(1));  // what the moment does not allow is refused
          QTest::qWait(random.bounded(120));
          engines.insert(bench.tabs.current().desk().debug.engineId());
          if (random.bounded(2)) bench.tabs.nextTab(random.bounded(2));
        }
        bench.tabs.closeTab();
        QTest::qWait(random.bounded(30));
      }
      QVERIFY2(bench.settle(), qPrintable(bench.tabs.current().statusText()));
      QVERIFY2(bench.does("file.open", {kSamples + "mlp"}), qPrintable(bench.tabs.current().lastError()));
      QVERIFY2(bench.does("debug.start", {"main"}), qPrintable(bench.tabs.current().lastError()));
      engines.insert(bench.tabs.current().desk().debug.engineId());
      QVERIFY(bench.does("debug.continue"));
      QVERIFY(bench.tabs.current().desk().debug.state() == RunState::Ended);
    }
    engines.erase(0);
    QVERIFY(!engines.empty());
    for (const qint64 engine : engines) QTRY_VERIFY_WITH_TIMEOUT(::kill(static_cast<pid_t>(engine), 0) != 0, kPatience);
  }

 private:
  QString path(const QString& name) const { return folder_.filePath(name); }
  QTemporaryDir folder_;
};

QTEST_MAIN(LiveWorkTest)
#include "tst_live_work.moc"
