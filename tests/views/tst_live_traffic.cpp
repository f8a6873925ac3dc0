// What window and engine say to each other: an answer is small whatever is open, since one is read in one event of the
// window, and a stop costs what changed and is on screen, not the length of the run or of the program.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/panels/timeline/timeline_panel.h"

using namespace rx::views;

namespace {

constexpr qsizetype kMostBytes = 384 * 1024;  // of one answer
constexpr int kMostRows = 500;                // of one list in it
constexpr int kMostSteps = 4;                 // rows of steps at a stop

/// A chain of bindings, each of which is a step or some.
QByteArray chain(int bindings) {
  QByteArray text =
      "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
      "    def main(x: R.Tensor((2, 4), \"float32\")) -> R.Tensor((2, 4), \"float32\"):\n        with R.dataflow():\n";
  QByteArray last = "x";
  for (int i = 0; i < bindings; ++i) {
    const QByteArray name = "lv" + QByteArray::number(i);
    text += "            " + name + " = R.tanh(" + last + ")\n";
    last = name;
  }
  return text + "            R.output(" + last + ")\n        return " + last + "\n";
}

/// Functions that call the one before twice: few bindings, and steps that double with each.
QByteArray doubling(int functions) {
  QByteArray text = "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n";
  const QByteArray type = "R.Tensor((2,), \"float32\")";
  for (int i = 0; i <= functions; ++i) {
    const QByteArray name = i == functions ? "main" : "f" + QByteArray::number(i);
    text += "    @R.function\n    def " + name + "(x: " + type + ") -> " + type + ":\n";
    const QByteArray before = "cls.f" + QByteArray::number(i - 1);
    text += i == 0 ? QByteArray("        a: " + type + " = R.negative(x)\n        return a\n")
                   : QByteArray("        cls = Module\n        a: " + type + " = " + before +
                                "(x)\n        b: " + type + " = " + before + "(a)\n        return b\n");
  }
  return text;
}

/// An engine whose answers are written down.
class Listening {
 public:
  Listening() {
    const QString script = folder_.filePath("rxs");
    write(script, "#!/bin/sh\n\"" + kTool.toUtf8() + "\" \"$@\" | tee \"" + path().toUtf8() + "\"\n");
    QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("RELAXSCOPE_RXS", script.toUtf8());
  }
  ~Listening() { useBuiltProgram(); }
  QString file(const QString& name) const { return folder_.filePath(name); }
  /// What was answered since the last call.
  struct Answer {
    QString command;
    qsizetype bytes = 0;
    QJsonObject body;
  };
  std::vector<Answer> answers() {
    const QByteArray all = contentOf(path());
    std::vector<Answer> found;
    for (;;) {
      const QByteArray key = "Content-Length: ";
      const qsizetype head = all.indexOf(key, from_), end = head < 0 ? -1 : all.indexOf("\r\n\r\n", head);
      if (end < 0) return found;
      const qsizetype bytes = all.mid(head + key.size(), end - head - key.size()).toLongLong();
      if (end + 4 + bytes > all.size()) return found;
      const QJsonObject message = QJsonDocument::fromJson(all.mid(end + 4, bytes)).object();
      from_ = end + 4 + bytes;
      found.push_back({message["command"].toString(), bytes, message["body"].toObject()});
    }
  }
  /// A new engine writes anew.
  void restart() { from_ = 0; }

 private:
  QString path() const { return folder_.filePath("answers"); }
  QTemporaryDir folder_;
  qsizetype from_ = 0;
};

/// The first thing about answers that is too much, in words.
QString tooMuch(const std::vector<Listening::Answer>& answers) {
  for (const Listening::Answer& answer : answers) {
    if (answer.bytes > kMostBytes) return QStringLiteral("%1: %2 bytes").arg(answer.command).arg(answer.bytes);
    // Numbers are less than rows.
    for (const QJsonValue& value : answer.body) {
      const QJsonArray rows = value.toArray();
      if (rows.size() > kMostRows && rows.first().isObject())
        return QStringLiteral("%1: %2 rows").arg(answer.command).arg(rows.size());
    }
  }
  return {};
}

qsizetype bytesOf(const std::vector<Listening::Answer>& answers) {
  qsizetype bytes = 0;
  for (const Listening::Answer& answer : answers) bytes += answer.bytes;
  return bytes;
}

qsizetype stepsIn(const std::vector<Listening::Answer>& answers) {
  qsizetype steps = 0;
  for (const Listening::Answer& answer : answers)
    if (answer.command == "rxs/timeline") steps += answer.body["steps"].toArray().size();
  return steps;
}

}  // namespace

class LiveTrafficTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }
  void cleanupTestCase() { useBuiltProgram(); }

  /// A step in a long program, forwards and backwards, costs what it costs in a short one.
  void aStopCostsWhatChanged() {
    std::vector<qsizetype> costs[2];
    for (const int bindings : {200, 2000}) {
      Listening engine;
      LiveBench bench;
      QVERIFY(write(engine.file("chain.py"), chain(bindings)));
      QVERIFY(bench.does("file.open", {engine.file("chain.py")}));
      QVERIFY(bench.does("view.panel", {"bytecode"}));
      QVERIFY(bench.does("debug.start", {"main"}));
      std::vector<Listening::Answer> answers = engine.answers();
      QVERIFY(answers.size() > 5);
      QVERIFY2(tooMuch(answers).isEmpty(), qPrintable(tooMuch(answers)));
      const auto cost = [&](const QString& command) {
        if (!bench.does(command)) return false;
        answers = engine.answers();
        costs[bindings > 200].push_back(bytesOf(answers));
        return !answers.empty() && tooMuch(answers).isEmpty() && stepsIn(answers) <= kMostSteps;
      };
      for (const char* step : {"debug.stepOver", "debug.stepOver", "debug.stepBack", "debug.stepOver"})
        QVERIFY2(cost(step), qPrintable(tooMuch(answers)));
      QVERIFY(bench.does("debug.continue"));
      answers = engine.answers();
      QVERIFY2(tooMuch(answers).isEmpty(), qPrintable(tooMuch(answers)));
      QVERIFY(stepsIn(answers) <= kMostSteps);
      QVERIFY(bench.debug.recorded() > bindings);
      for (const char* step : {"debug.stepBack", "debug.stepBack", "debug.stepBack"})
        QVERIFY2(cost(step), qPrintable(tooMuch(answers)));
    }
    QCOMPARE(costs[0].size(), costs[1].size());
    for (size_t i = 0; i < costs[0].size(); ++i)
      QVERIFY2(costs[1][i] <= costs[0][i] + 48 * 1024,
               qPrintable(QStringLiteral("stop %1: %2 and %3 bytes").arg(i).arg(costs[0][i]).arg(costs[1][i])));
  }

  /// A hundred thousand steps are bars and a few rows, live and reopened.
  void aLongRun() {
    Listening engine;
    QVERIFY(write(engine.file("doubling.py"), doubling(13)));
    const QString kept = engine.file("kept.rxtrace");
    int steps = 0;
    {
      LiveBench bench;
      QVERIFY(bench.does("file.open", {engine.file("doubling.py")}));
      QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
      QCOMPARE(bench.debug.state(), RunState::Ended);
      steps = bench.debug.recorded();
      QVERIFY2(steps > 60'000, qPrintable(QString::number(steps)));
      const auto answers = engine.answers();
      QVERIFY2(tooMuch(answers).isEmpty(), qPrintable(tooMuch(answers)));
      QVERIFY(stepsIn(answers) <= kMostSteps);
      QVERIFY2(bytesOf(answers) < 3'000'000, qPrintable(QString::number(bytesOf(answers))));
      QVERIFY(bench.does("debug.goToStep", {QString::number(steps / 2)}));
      QCOMPARE(bench.debug.stop().step, steps / 2);
      QVERIFY2(bench.window.dump("timeline").contains("of " + QLocale::c().toString(steps).replace(',', ' ')) ||
                   bench.window.dump("timeline").contains("history"),
               qPrintable(bench.window.dump("timeline").left(200)));
      QVERIFY(bench.does("file.saveRecording", {kept}));
    }
    engine.restart();
    LiveBench bench;
    QVERIFY(bench.does("file.open", {kept}));
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.hasTrace() && bench.debug.idle(); }, kPatience));
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.recorded(), steps);
    const auto* panel = static_cast<TimelinePanel*>(bench.window.panel("timeline"));
    QVERIFY(QTest::qWaitFor([&] { return panel->complete(); }, kPatience));
    QCOMPARE(panel->bars().front().first, 0);
    QCOMPARE(panel->bars().back().last, steps - 1);
    QVERIFY(panel->bars().size() < 2000);
    auto answers = engine.answers();
    QVERIFY2(tooMuch(answers).isEmpty(), qPrintable(tooMuch(answers)));
    QVERIFY(stepsIn(answers) <= kMostSteps);
    QVERIFY(bench.does("timeline.equalSteps", {"on"}));
    QVERIFY(bench.does("debug.goToStep", {"1000"}));
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.debug.stop().step < 1000);
    answers = engine.answers();
    QVERIFY2(bytesOf(answers) < 400'000, qPrintable(QString::number(bytesOf(answers))));
    QVERIFY(stepsIn(answers) <= 2 * kMostSteps);
    QVERIFY(!bench.window.run("debug.goToStep", {QString::number(steps + 1)}));
  }
};

QTEST_MAIN(LiveTrafficTest)
#include "tst_live_traffic.moc"
