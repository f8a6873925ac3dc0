// The engine killed with signal 9 at any moment: the window goes on, shows what was recorded until then and looks back
// over it, says what happened, and starts the run again. Everything goes through the command table of a real window
// with a real engine.
#include <QRandomGenerator>
#include <QtTest>
#include <csignal>

#include "live_bench.h"

using namespace rx::views;

namespace {

struct Bench : LiveBench {
  void kill() {
    if (const qint64 engine = debug.engineId(); engine > 0) ::kill(static_cast<pid_t>(engine), SIGKILL);
  }
  bool killAndSettle() {
    const qint64 victim = debug.engineId();
    kill();
    return waitUntil([&] { return debug.engineId() != victim && debug.state() == RunState::Died && window.settled(); });
  }
  /// What must hold after a death at any moment.
  bool lives(QString* why) {
    const auto no = [why, this](const char* what) {
      *why = QStringLiteral("%1 (%2)").arg(QString::fromLatin1(what), window.statusText());
      return false;
    };
    if (debug.state() != RunState::Died) return no("the state is not Died");
    if (!window.statusText().contains("Engine died")) return no("the window does not say it");
    if (debug.deathReport().isEmpty()) return no("there is no report");
    bool listed = false;
    for (const ProblemRow& problem : document.problems()) listed = listed || problem.rule == "engine.gone";
    if (!listed) return no("the problem list does not name it");
    if (debug.hasTrace()) {
      const int last = debug.stop().step;
      if (last < 1 || last != debug.recorded()) return no("the last recorded step is not shown");
      if (!does("debug.stepInstructionBack")) return no("no step back");
      if (debug.stop().step != last - 1 || debug.registers().empty()) return no("the step back shows nothing");
      if (!does("debug.goToStep", {"0"}) || debug.stop().step != 0) return no("no way to the start");
      if (!does("debug.stepInstruction") || debug.stop().step != 1) return no("no step over the recorded trace");
      if (last > 1 && !does("debug.continue")) return no("no way on over the recorded trace");
      if (debug.stop().step != last) return no("the trace does not end where it ended");
      if (!window.statusText().contains("Engine died")) return no("the report is gone while the trace is looked at");
    }
    if (window.enabled("pass.first") && !does("pass.first")) return no("no way to the imported module");
    if (!does("pass.next") || !does("pass.first")) return no("no pass after the death");
    if (!does("debug.restart")) return no("no restart");
    if (debug.state() != RunState::Stopped && debug.state() != RunState::Ended) return no("the restart does not run");
    return debug.deathReport().isEmpty() || no("the report stands after the restart");
  }
};

}  // namespace

class EngineDeathTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { qputenv("RELAXSCOPE_RXS", RX_BINARY_DIR "/bin/rxs"); }

  void whereItStands_data() {
    QTest::addColumn<QStringList>("commands");
    QTest::addColumn<bool>("recorded");
    QTest::newRow("at the entry") << QStringList{} << false;
    QTest::newRow("after a step") << QStringList{"debug.stepOver"} << true;
    QTest::newRow("after an instruction") << QStringList{"debug.stepInstruction"} << true;
    QTest::newRow("looking back") << QStringList{"debug.stepOver", "debug.stepOver", "debug.stepBack"} << true;
    QTest::newRow("at the end") << QStringList{"debug.continue"} << true;
    QTest::newRow("by another stage") << QStringList{"pass.last", "debug.stepOver"} << true;
  }
  void whereItStands() {
    QFETCH(QStringList, commands);
    QFETCH(bool, recorded);
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    for (const QString& command : commands) QVERIFY2(bench.does(command), qPrintable(command));
    const int steps = bench.debug.recorded();
    QVERIFY(bench.killAndSettle());
    QCOMPARE(bench.debug.hasTrace(), recorded);
    QCOMPARE(bench.debug.recorded(), steps);
    // The instruction is told as the bytecode panel writes it, not in the columns of a listing.
    QVERIFY2(!bench.debug.deathReport().contains("  "), qPrintable(bench.debug.deathReport()));
    QVERIFY2(!bench.debug.deathReport().contains(" dst:"), qPrintable(bench.debug.deathReport()));
    QString why;
    QVERIFY2(bench.lives(&why), qPrintable(why));
  }

  /// At moments that a seed draws, while it starts, compiles, runs, steps forward and back, and answers.
  void atAnyMoment_data() {
    QTest::addColumn<quint32>("seed");
    for (quint32 seed = 1; seed <= 16; ++seed) QTest::addRow("seed %u", seed) << seed;
  }
  void atAnyMoment() {
    QFETCH(quint32, seed);
    QRandomGenerator random(seed);
    const char* samples[] = {"attention", "branch", "mlp", "dynamic"};
    Bench bench;
    QVERIFY(bench.open(samples[random.bounded(4)]));
    QVERIFY(bench.window.run("debug.start", {"main", random.bounded(2) ? "stop=none" : "stop=entry"}));
    const char* motions[] = {"debug.stepOver", "debug.stepInstruction", "debug.stepBack",
                             "debug.continue", "debug.stepInto",        "debug.reverseContinue"};
    // Some of these are refused in the state that the run is in: that is part of it.
    const int before = random.bounded(4);
    for (int i = 0; i < before; ++i) {
      if (random.bounded(3)) QTest::qWait(random.bounded(120));
      bench.window.run(motions[random.bounded(6)], {QString::number(1 + random.bounded(5))});
    }
    QTest::qWait(random.bounded(150));
    if (bench.debug.engineId() == 0) QFAIL("the engine ended by itself");
    QVERIFY2(bench.killAndSettle(), qPrintable(bench.window.statusText()));
    QString why;
    QVERIFY2(bench.lives(&why), qPrintable(why));
  }

  /// The fresh engine that reads the trace can die too.
  void theReaderOfTheTrace() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    const int steps = bench.debug.recorded();
    QVERIFY(bench.killAndSettle());
    QVERIFY(bench.debug.replays());
    QVERIFY(bench.killAndSettle());
    QVERIFY(!bench.debug.replays());
    QCOMPARE(bench.debug.recorded(), steps);
    QString why;
    QVERIFY2(bench.lives(&why), qPrintable(why));
  }

  /// Killed with a question on its way: whoever waits for the answer stops waiting, whatever it was.
  void whileItIsAsked_data() {
    QTest::addColumn<QStringList>("question");
    const QStringList questions[] = {{"values.nextBad"},
                                     {"values.largest"},
                                     {"values.distance", "relative"},
                                     {"values.compare", "q"},
                                     {"values.set", "[0, 0]", "1"},
                                     {"export.value", "/nowhere/q.npy"},
                                     {"watch.add", "max(q)"},
                                     {"memory.peak"},
                                     {"debug.goToBinding"},
                                     {"debug.condition", "1"},
                                     {"debug.breakWhenWritten"},
                                     {"view.panel", "memory"},
                                     {"view.panel", "values"},
                                     {"share.value"},
                                     {"debug.restart"},
                                     {"debug.toggleBreakpoint"},
                                     {"debug.stepOut"},
                                     {"timeline.fit"}};
    for (const QStringList& question : questions) QTest::newRow(qPrintable(question.join(' '))) << question;
  }
  void whileItIsAsked() {
    QFETCH(QStringList, question);
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(bench.does("select.binding", {"q"}));
    QVERIFY(bench.does("view.panel", {"values"}));
    const qint64 asked = bench.debug.engineId();
    bench.window.run(question[0], question.mid(1));
    ::kill(static_cast<pid_t>(asked), SIGKILL);
    QVERIFY2(waitUntil([&] { return bench.debug.engineId() != asked && bench.window.settled(); }),
             qPrintable(bench.window.statusText()));
    // A restart may have ended that engine by itself before.
    if (bench.debug.state() != RunState::Died) QCOMPARE(question[0], QString("debug.restart"));
    bench.window.run("debug.clearBreakpoints");  // what was asked for would stop the look back
    QVERIFY(bench.settle());
    QString why;
    if (bench.debug.state() == RunState::Died) QVERIFY2(bench.lives(&why), qPrintable(why));
  }

  void whileNothingRunsNothingIsSaid() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stop"));
    QTest::qWait(100);
    QCOMPARE(bench.debug.state(), RunState::Off);
    QVERIFY(bench.debug.deathReport().isEmpty());
  }

  /// Values of a dead run are the bytes that were there.
  void valuesAreThoseThatWere() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(bench.does("debug.stepInstructionBack"));
    QVERIFY(bench.does("debug.stepInstruction"));
    const auto& before = bench.debug.registers();
    QStringList was;
    for (const RegisterRow& row : before) was << row.name + row.value.text + QString::number(row.value.mean, 'g', 17);
    QVERIFY(bench.killAndSettle());
    QStringList is;
    for (const RegisterRow& row : bench.debug.registers())
      is << row.name + row.value.text + QString::number(row.value.mean, 'g', 17);
    QCOMPARE(is, was);
    // What is looked at element by element is that value too, at every step back.
    const StageIndexPtr stage = bench.document.stage(0);
    const FunctionRow& main = *stage->function("main");
    int looked = 0;
    do {
      for (const BindingRow& binding : main.bindings) {
        const ValueSummary value = bench.debug.valueOf("main", binding.ordinal);
        if (!value.known || !value.isTensor) continue;
        std::optional<TensorSurvey> survey;
        bench.debug.fetchSurvey(ElementSource(value.reference), {value.count}, &bench.window,
                                [&](const TensorSurvey& answer) { survey = answer; });
        QVERIFY(waitUntil([&] { return survey.has_value(); }));
        QVERIFY2(survey->error.isEmpty(), qPrintable(survey->error));
        QCOMPARE(survey->count, value.count);
        QVERIFY2(std::abs(survey->low - value.min) < 1e-6 && std::abs(survey->high - value.max) < 1e-6,
                 qPrintable(binding.name));
        ++looked;
      }
    } while (bench.debug.stop().step > 1 && bench.does("debug.stepBack"));
    QVERIFY(looked > 2);
  }
};

QTEST_MAIN(EngineDeathTest)
#include "tst_engine_death.moc"
