// What a person waits for: the window after its start, and one step on screen, for the attention sample. Each is
// printed beside a reference of the same run: an empty main window of the same toolkit, and the same step asked of the
// engine without a window. The longest piece of work of the window's own thread is printed too, since nothing else can
// happen while it lasts. `bench_window --large BINDINGS` does the same for what a person does in a large module,
// `bench_window --history STEPS` in a long run, `bench_window --lines FILE` for the commands in a file,
// `bench_window --graph` gives the rows of the graph alone. With `--slow MS`, each says where events longer than
// that were, with `--slow-commands MS` where commands were.
#include <QApplication>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMainWindow>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bench_graph.h"
#include "bench_large.h"
#include "views/session/engine_process.h"
#include "views/session/live_debug.h"
#include "views/session/live_document.h"
#include "views/shell/main_window.h"

using namespace rx;
using namespace rx::views;

namespace {

constexpr int kPatience = 60000;
const QString kSample = QStringLiteral(RX_SOURCE_DIR "/samples/attention");

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
  const QTemporaryDir folder;
  if (!engine.start(folder.path(), {}).isEmpty()) return times;
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
  if (!waitUntil([&] { return stopped; }, kPatience)) return times;
  while (!ended) {
    stopped = false;
    QElapsedTimer clock;
    clock.start();
    engine.client().call<dap::Next>(by);
    if (!waitUntil([&] { return stopped; }, kPatience)) break;
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
  const auto settle = [&] { return waitUntil([&] { return window.settled(); }, kPatience); };
  application.forget();
  QElapsedTimer clock;
  clock.start();
  if (!window.run("file.open", {kSample}) || !settle()) return;
  QApplication::processEvents();
  Times open;
  open.add(clock);
  const double openLongest = application.longest;
  if (!window.run("debug.start", {"main"}) || !settle()) return;
  application.forget();
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
  const auto limit = [&application](const QString& option) {
    const qsizetype at = application.arguments().indexOf(option);
    return at > 0 ? application.arguments().value(at + 1).toDouble() : std::numeric_limits<double>::infinity();
  };
  if (std::isfinite(std::min(limit("--slow"), limit("--slow-commands"))))
    application.sampleAbove(limit("--slow"), limit("--slow-commands"));
  if (const qsizetype at = application.arguments().indexOf("--large"); at > 0) {
    benchLarge(application, std::max(1, application.arguments().value(at + 1, "10000").toInt()));
    return 0;
  }
  if (const qsizetype at = application.arguments().indexOf("--history"); at > 0) {
    benchHistory(application, std::max(1, application.arguments().value(at + 1, "100000").toInt()));
    return 0;
  }
  if (const qsizetype at = application.arguments().indexOf("--lines"); at > 0) {
    benchLines(application, application.arguments().value(at + 1));
    return 0;
  }
  const auto graph = [&application] {
    benchGraph([&application] { application.longest = 0; }, [&application] { return application.longest; },
               [&application] { return application.longestWho; });
  };
  if (application.arguments().contains("--graph")) {
    graph();
    return 0;
  }
  benchStart();
  benchSteps(application);
  graph();
  return 0;
}
