// What a person waits for: the window after its start, and one step on screen, for the attention sample. Each is
// printed beside a reference of the same run: an empty main window of the same toolkit, and the same step asked of the
// engine without a window. The longest piece of work of the window's own thread is printed too, since nothing else can
// happen while it lasts. `bench_window --large BINDINGS` does the same for what a person does in a large module.
#include <QApplication>
#include <QElapsedTimer>
#include <QMainWindow>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "views/session/engine_process.h"
#include "views/session/live_debug.h"
#include "views/session/live_document.h"
#include "views/shell/main_window.h"

using namespace rx;
using namespace rx::views;

namespace {

constexpr int kPatience = 60000;
const QString kSample = QStringLiteral(RX_SOURCE_DIR "/samples/attention");

/// Remembers the longest event of this thread and who got it.
class Watching : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    if (depth_++ > 0) {
      const bool taken = QApplication::notify(receiver, event);
      --depth_;
      return taken;
    }
    const QString who = QString::fromLatin1(receiver->metaObject()->className());
    const int type = event->type();
    QElapsedTimer clock;
    clock.start();
    const double before = threadWork();
    const bool taken = QApplication::notify(receiver, event);
    const double took = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    longestWork = std::max(longestWork, threadWork() - before);
    --depth_;
    if (took > longest) {
      longest = took;
      longestWho = QStringLiteral("%1, event %2").arg(who).arg(type);
    }
    return taken;
  }
  /// Milliseconds that this thread had a processor: what remains of a time where other work takes turns with it.
  static double threadWork() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  }
  double longest = 0;
  double longestWork = 0;  ///< the same without the time that other work had the processor
  QString longestWho;

 private:
  int depth_ = 0;
};

struct Times {
  std::vector<double> all;
  void add(const QElapsedTimer& clock) { all.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6); }
  double median() {
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
  double worst() const { return all.empty() ? 0 : *std::max_element(all.begin(), all.end()); }
};

void row(const char* what, double value, const char* reference, double other) {
  std::printf("%-46s %8.1f ms   %-42s %8.1f ms\n", what, value, reference, other);
}

/// Milliseconds from the start of a program until it ended by itself.
double lifeOf(const QString& program, const QStringList& arguments) {
  Times times;
  for (int i = 0; i < 5; ++i) {
    QProcess process;
    process.setStandardErrorFile(QProcess::nullDevice());
    QElapsedTimer clock;
    clock.start();
    process.start(program, arguments);
    if (!process.waitForFinished(kPatience) || process.exitCode() != 0) return -1;
    times.add(clock);
  }
  return times.median();
}

void benchStart() {
  QTemporaryDir folder;
  const auto script = [&](const char* name, const QString& text) {
    QFile file(folder.filePath(name));
    if (file.open(QIODevice::WriteOnly)) file.write(text.toUtf8());
    return folder.filePath(name);
  };
  const QString program = QStringLiteral(RX_BINARY_DIR "/bin/relaxscope");
  const double empty = lifeOf(QCoreApplication::applicationFilePath(), {"--empty"});
  row("start to end, nothing open", lifeOf(program, {"--script", script("a", "quit\n")}), "an empty QMainWindow",
      empty);
  row("start to end, attention open and drawn",
      lifeOf(program, {kSample, "--script", script("b", "select.function main\nquit\n")}), "an empty QMainWindow",
      empty);
}

/// Steps over of the engine alone, as the window asks for them but without anything being drawn.
Times engineSteps() {
  Times times;
  EngineProcess engine;
  if (!engine.start().isEmpty()) return times;
  bool stopped = false;
  bool ended = false;
  QObject::connect(&engine, &EngineProcess::told, &engine, [&](const QString& name, const dap::Json& body) {
    if (name == "initialized") engine.client().request("configurationDone", dap::Json::object());
    if (name != "stopped") return;
    stopped = true;
    ended = body.value("reason", dap::Json("")) == "end";
  });
  engine.client().request("initialize", {{"clientID", "bench"}, {"adapterID", "rxs"}});
  dap::LaunchArguments launch;
  launch.program = kSample.toStdString();
  launch.params = (kSample + "/params.npz").toStdString();
  launch.inputs = (kSample + "/inputs.npz").toStdString();
  launch.stopOnEntry = launch.stopOnEnd = true;
  engine.client().call<dap::Launch>(launch);
  dap::StepArguments by;
  by.granularity = "statement";
  if (!QTest::qWaitFor([&] { return stopped; }, kPatience)) return times;
  while (!ended) {
    stopped = false;
    QElapsedTimer clock;
    clock.start();
    engine.client().call<dap::Next>(by);
    if (!QTest::qWaitFor([&] { return stopped; }, kPatience)) break;
    times.add(clock);
  }
  return times;
}

void benchSteps(Watching& application) {
  Settings settings(Settings::Keep::InMemory);
  LiveDocument document;
  Selection selection;
  LiveDebug debug(&document);
  MainWindow window(&document, &selection, &debug, &settings);
  window.resize(1600, 1000);
  window.show();
  const auto settle = [&] { return QTest::qWaitFor([&] { return window.settled(); }, kPatience); };
  application.longest = 0;
  QElapsedTimer clock;
  clock.start();
  if (!window.run("file.open", {kSample}) || !settle()) return;
  QApplication::processEvents();
  Times open;
  open.add(clock);
  const double openLongest = application.longest;
  if (!window.run("debug.start", {"main"}) || !settle()) return;
  application.longest = 0;
  Times forward;
  Times back;
  while (window.enabled("debug.stepOver")) {
    clock.start();
    if (!window.run("debug.stepOver") || !settle()) return;
    QApplication::processEvents();  // what the answers ask to be drawn
    forward.add(clock);
  }
  while (window.enabled("debug.stepBack")) {
    clock.start();
    if (!window.run("debug.stepBack") || !settle()) return;
    QApplication::processEvents();
    back.add(clock);
  }
  Times engine = engineSteps();
  row("file.open until drawn", open.median(), "longest event of the window's thread", openLongest);
  row("a step over on screen, median", forward.median(), "the same step, engine without a window", engine.median());
  row("a step over on screen, worst", forward.worst(), "the same step, engine without a window", engine.worst());
  row("a step back on screen, median", back.median(), "longest event of the window's thread", application.longest);
  std::printf("the longest event while stepping went to %s\n", qPrintable(application.longestWho));
}

/// A chain of `bindings` over a symbolic first dimension in one dataflow block.
QByteArray chainModule(int bindings) {
  QByteArray text =
      "from tvm.script import ir as I\nfrom tvm.script import tir as T\nfrom tvm.script import relax as R\n\n"
      "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((\"n\", 64), dtype=\"float32\"), w: "
      "R.Tensor((64, 64), dtype=\"float32\"), b: R.Tensor((64,), dtype=\"float32\")):\n        n = T.int64()\n"
      "        with R.dataflow():\n";
  const char* calls[] = {"R.matmul(%1, w, out_dtype=\"void\")", "R.add(%1, b)", "R.nn.gelu(%1)"};
  QString last = "x";
  for (int i = 0; i < bindings; ++i) {
    const QString name = QStringLiteral("lv%1").arg(i);
    text += QStringLiteral("            %1: R.Tensor((n, 64), dtype=\"float32\") = %2\n")
                .arg(name, QString::fromLatin1(calls[i % 3]).arg(last))
                .toUtf8();
    last = name;
  }
  return text + QStringLiteral("            R.output(%1)\n        return %1\n").arg(last).toUtf8();
}

/// What a person does in a large module; beside the whole wait stands the longest time that the window did not answer.
void benchLarge(Watching& application, int bindings) {
  QTemporaryDir folder;
  const QString path = folder.filePath("module.py");
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(chainModule(bindings));
  file.close();
  Settings settings(Settings::Keep::InMemory);
  LiveDocument document;
  Selection selection;
  LiveDebug debug(&document);
  MainWindow window(&document, &selection, &debug, &settings);
  window.resize(1600, 1000);
  window.show();
  const QString middle = QStringLiteral("lv%1").arg(bindings / 2);
  const QString late = QStringLiteral("lv%1").arg(bindings - bindings / 5);
  const QStringList lines[] = {{"file.open", path},
                               {"select.function", "main"},
                               {"select.binding", middle},
                               {"view.panel", "source"},
                               {"view.panel", "symbols"},
                               {"edit.goToName", late},
                               {"view.panel", "ir"},
                               {"edit.find", middle},
                               {"view.panel", "graph"},
                               {"edit.find", middle},
                               {"view.panel", "module"},
                               {"pass.next"},
                               {"pass.goTo", "4"},
                               {"view.panel", "diff"},
                               {"view.panel", "ir"},
                               {"select.binding", middle},
                               {"pass.goTo", "6"},
                               {"module.check"},
                               {"view.palette", middle},
                               {"file.reload"},
                               {"view.themeDark"},
                               {"view.panel", "log"},
                               {"pass.first"},
                               {"view.panel", "bytecode"},
                               {"debug.start", "main", "seed=1", "n=2"},
                               {"debug.stepOver"},
                               {"debug.stepOver", "5"},
                               {"debug.stepBack"},
                               {"debug.continue"},
                               {"debug.reverseContinue"},
                               {"debug.stop"},
                               {"file.close"}};
  std::printf("%d bindings\n", bindings);
  for (const QStringList& line : lines) {
    application.longest = application.longestWork = 0;
    QElapsedTimer clock;
    clock.start();
    const double before = Watching::threadWork();
    const bool begun = window.run(line[0], line.mid(1));
    const double call = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    const double callWork = Watching::threadWork() - before;
    if (!begun) std::printf("  %s: %s\n", qPrintable(line.join(' ')), qPrintable(window.lastError()));
    if (!QTest::qWaitFor([&] { return window.settled(); }, 5 * kPatience)) std::printf("  not settled:\n");
    QApplication::processEvents();
    const QString who = application.longest > call ? application.longestWho : QStringLiteral("the command itself");
    std::printf("  %-34s %9.1f ms   longest %8.1f ms, %8.1f of it work  %s\n", qPrintable(line.join(' ').left(34)),
                static_cast<double>(clock.nsecsElapsed()) / 1e6, std::max(call, application.longest),
                std::max(callWork, application.longestWork), qPrintable(who));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("RELAXSCOPE_RXS", RX_BINARY_DIR "/bin/rxs");
  Watching application(argc, argv);
  if (application.arguments().contains("--empty")) {
    QMainWindow window;
    window.resize(1600, 1000);
    window.show();
    QTimer::singleShot(0, &application, &QApplication::quit);
    return QApplication::exec();
  }
  if (const qsizetype at = application.arguments().indexOf("--large"); at > 0) {
    benchLarge(application, std::max(1, application.arguments().value(at + 1, "10000").toInt()));
    return 0;
  }
  benchStart();
  benchSteps(application);
  return 0;
}
