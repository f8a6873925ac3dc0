#include "bench_large.h"

#include <QEvent>
#include <QFile>
#include <QScrollBar>
#include <QTemporaryDir>
#include <cstdio>
#include <optional>

#include "views/panels/results/results_panel.h"
#include "views/session/live_debug.h"
#include "views/session/live_document.h"
#include "views/shell/main_window.h"
#include "views/shell/script_runner.h"
#include "views/text/text_view.h"

namespace rx::views {
namespace {

constexpr int kPatience = 600000;  // milliseconds
constexpr int kVeryLarge = 100000;

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

/// Two functions that call the next one a hundred times, and a leaf of so many bindings that a run of the first takes
/// about that many steps.
QByteArray loopModule(int steps) {
  constexpr int kCalls = 100;
  const QString tensor = QStringLiteral("R.Tensor((4, 4), dtype=\"float32\")");
  QString text = QStringLiteral(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n");
  const auto function = [&](const char* name, int bindings, const auto& call) {
    text += QStringLiteral("    @R.function\n    def %1(x: %2) -> %2:\n        cls = Module\n")
                .arg(QString::fromLatin1(name), tensor);
    for (int i = 0; i < bindings; ++i)
      text += QStringLiteral("        lv%1: %2 = ").arg(i).arg(tensor) +
              call(i, i > 0 ? QStringLiteral("lv%1").arg(i - 1) : QStringLiteral("x")) + '\n';
    text += QStringLiteral("        return lv%1\n\n").arg(bindings - 1);
  };
  const char* calls[] = {"R.tanh(%1)", "R.negative(%1)", "R.abs(%1)"};
  function("leaf", std::max(1, steps / (kCalls * kCalls)),
           [&](int i, const QString& last) { return QString::fromLatin1(calls[i % 3]).arg(last); });
  function("middle", kCalls, [](int, const QString& last) { return QStringLiteral("cls.leaf(%1)").arg(last); });
  function("main", kCalls, [](int, const QString& last) { return QStringLiteral("cls.middle(%1)").arg(last); });
  return text.toUtf8();
}

/// Bytes of memory that this process has for itself.
double memoryOfProcess() {
  QFile file(QStringLiteral("/proc/self/status"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (line.startsWith("RssAnon:")) return line.mid(8).trimmed().split(' ').value(0).toDouble() * 1024;
  return 0;
}

/// Says when the text of a stage was drawn.
class PaintWatch : public QObject {
 public:
  explicit PaintWatch(TextView* view) : view_(view) { view->viewport()->installEventFilter(this); }
  /// Whether a text of that many bytes was drawn since the last call of `forget`.
  bool painted(qsizetype bytes) const { return painted_ && static_cast<qsizetype>(painted_) == bytes; }
  void forget() { painted_ = 0; }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Paint) painted_ = view_->buffer()->size();
    return false;
  }

 private:
  TextView* view_;
  size_t painted_ = 0;
};

class LargeBench {
 public:
  LargeBench(Watching& application, int bindings) : application_(application), bindings_(bindings) {
    window_.resize(1600, 1000);
    window_.show();
    waitUntil([&] { return window_.settled(); }, kPatience);
    QApplication::processEvents();
    text_ = window_.panel("ir")->findChild<TextView*>();
    paint_.emplace(text_);
  }
  void run() {
    std::printf("%d bindings\n%-44s %10s %10s %7s\n", bindings_, "", "measured", "promised", "ratio");
    open();
    passes();
    select();
    scroll();
    search();
    everythingElse();
    debug();
  }
  /// A run of about `steps` bindings, in a small module.
  void runHistory(int steps) {
    const QString module = folder_.filePath("loop.py"), recording = folder_.filePath("loop.rxtrace");
    QFile file(module);
    if (!file.open(QIODevice::WriteOnly) || file.write(loopModule(steps)) < 0) return;
    file.close();
    std::printf("%-44s %10s %10s %7s\n", "", "measured", "promised", "ratio");
    for (const QStringList& line : {QStringList{"file.open", module}, {"debug.start", "main", "seed=1"}}) one(line);
    one({"debug.stepOver"}, 100);
    one({"debug.continue"});
    std::printf("%d instructions are recorded\n", debug_.recorded());
    walkHistory();
    one({"file.saveRecording", recording});
    one({"debug.stop"});
    one({"file.open", recording});
    walkHistory();
  }
  /// What stands in a file, a command of the window in a line: what each takes, and the memory after it.
  void runLines(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return;
    std::printf("%-44s %10s %10s %7s\n", "", "measured", "promised", "ratio");
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)) {
      QString error;
      if (const QStringList words = scriptWords(line, &error); !words.isEmpty()) one(words);
      std::printf("%-44s %7.1f MB\n", "  memory of the window", memoryOfProcess() / 1e6);
    }
  }

 private:
  /// Steps at the end and in the middle of what is recorded, and what draws all of it.
  void walkHistory() {
    for (int i = 0; i < 3; ++i) one({"debug.stepBack"}, 100);
    one({"debug.goToStep", QString::number(debug_.recorded() / 2)}, 100);
    for (const char* step : {"debug.stepOver", "debug.stepInto", "debug.stepInstruction", "debug.stepInstructionBack",
                             "debug.stepOut", "debug.stepBack", "debug.stepBack"})
      one({step}, 100);
    one({"view.panel", "timeline"}, 100);
    QWidget* timeline = window_.panel("timeline");
    Times frames;
    for (int i = 0; i < 20; ++i) {
      if (i == 10) one({"view.panelCommand", "timeline", "fit"}, 100);
      if (!begin({"view.panelCommand", "timeline", "zoom", i < 10 ? "0.5" : "2"})) break;
      settle();
      QElapsedTimer clock;
      clock.start();
      timeline->repaint();
      frames.add(clock);
    }
    row("paint the timeline, worst of 20 zooms", frames.worst(), 16);
    one({"debug.reverseContinue"});
    one({"debug.goToStep", QString::number(debug_.recorded())}, 100);
  }

  bool settle() {
    return waitUntil([&] { return window_.settled(); }, kPatience);
  }
  /// One row; a promise of 0 is none.
  void row(const QString& what, double value, double promised, const char* unit = "ms") {
    std::printf("%-44s %7.1f %2s ", qPrintable(what.left(44)), value, unit);
    if (promised > 0)
      std::printf("%7.0f %2s %7.2f%s", promised, unit, value / promised, value > promised ? "  MISSED" : "");
    std::printf("\n");
    std::fflush(stdout);
  }
  /// The promise that holds for every size: no event of the window's thread is longer than a tenth of a second.
  void longest(const QString& what) {
    row(QStringLiteral("  longest event, %1").arg(what), application_.longest, 100);
    if (application_.longest > 100)
      std::printf("      %s, %.1f ms of it work\n", qPrintable(application_.longestWho), application_.longestWork);
    application_.forget();
  }
  double promise(double milliseconds) const { return bindings_ < kVeryLarge ? milliseconds : 0; }

  /// Runs a command; true when it began. What the command itself takes counts as an event.
  bool begin(const QStringList& line) {
    clock_.start();
    const bool begun = application_.command([&] { return window_.run(line[0], line.mid(1)); });
    if (!begun) std::printf("%s: %s\n", qPrintable(line.join(' ')), qPrintable(window_.lastError()));
    return begun;
  }
  double passed() const { return static_cast<double>(clock_.nsecsElapsed()) / 1e6; }
  /// The text of a stage is drawn; milliseconds since the clock was started.
  double drawn(int stage) {
    waitUntil(
        [&] {
          StageIndexPtr index = document_.stage(stage, false);
          if (!index) index = document_.stageText(stage);
          return index && paint_->painted(index->text.size());
        },
        kPatience);
    return passed();
  }

  void open() {
    const QString path = folder_.filePath("module.py");
    const QByteArray text = chainModule(bindings_);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return;
    file.write(text);
    file.close();
    const double before = memoryAtRest();
    paint_->forget();
    if (!begin({"file.open", path})) return;
    row("open to first paint", drawn(0), promise(300));
    settle();
    QApplication::processEvents();
    row("open to all panels", passed(), promise(1000));
    longest("opening");
    const double times = (memoryAtRest() - before) / static_cast<double>(text.size());
    row(QStringLiteral("memory at rest, in times the text of %1 kB").arg(text.size() / 1000), times,
        text.size() >= 1000000 ? 40 : 0, "x");
  }

  /// What is free goes back to the system within a second or two (views/shell/allocator.h).
  static double memoryAtRest() {
    QElapsedTimer rest;
    rest.start();
    waitUntil([&] { return rest.elapsed() > 3000; }, kPatience);
    return memoryOfProcess();
  }

  /// Each pass by itself: what remains to be done in the window once it ran. Then memory and time over all stages.
  void passes() {
    const double before = memoryAtRest();
    const auto last = static_cast<int>(document_.steps().size()) - 1;
    Times toPaint, toSettled;
    double longestEvent = 0, longestWork = 0;
    QString who;
    int slowest = 0;
    QElapsedTimer all;
    all.start();
    for (int stage = 1; stage <= last; ++stage) {
      const auto watch = QObject::connect(&document_, &Document::stepsChanged, [&, stage] {
        if (document_.lastStage() == stage) clock_.start();
      });
      paint_->forget();
      if (!begin({"pass.next"})) break;
      waitUntil([&] { return document_.lastStage() >= stage || !document_.busy(); }, kPatience);
      QObject::disconnect(watch);
      if (document_.lastStage() < stage) break;
      drawn(stage);
      if (toPaint.all.empty() || passed() > toPaint.worst()) slowest = stage;
      toPaint.add(clock_);
      settle();
      QApplication::processEvents();
      toSettled.add(clock_);
      if (application_.longest <= longestEvent) continue;
      longestEvent = application_.longest;
      longestWork = application_.longestWork;
      who = QStringLiteral("stage %1: ").arg(stage) + application_.longestWho;
    }
    row("a pass step, text drawn after it ran, median", toPaint.median(), promise(100));
    row(QStringLiteral("the same, worst: %1").arg(document_.steps()[static_cast<size_t>(slowest)].name),
        toPaint.worst(), promise(100));
    row("a pass step, all panels after it ran, worst", toSettled.worst(), 0);
    application_.longest = longestEvent;
    application_.longestWork = longestWork;
    application_.longestWho = who;
    longest("stepping passes");
    row(QStringLiteral("all %1 stages").arg(last + 1), static_cast<double>(all.elapsed()), 0);
    row("memory of these stages, in times the text",
        (memoryAtRest() - before) / static_cast<double>(document_.sourceText().size()), 0, "x");
  }

  void select() {
    begin({"pass.first"});
    settle();
    Times times;
    double longestEvent = 0;
    for (int i = 0; i < 20; ++i) {
      if (!begin({"select.binding", QStringLiteral("lv%1").arg(bindings_ / 20 * i)})) return;
      settle();
      QApplication::processEvents();
      times.add(clock_);
      longestEvent = std::max(longestEvent, application_.longest);
    }
    row("select a binding, worst of 20", times.worst(), promise(100));
    application_.longest = longestEvent;
    longest("selecting");
  }

  /// Through the whole text by pages, then line by line; each step is drawn at once.
  void scroll() {
    Times times;
    QScrollBar* bar = text_->verticalScrollBar();
    const auto to = [&](int value) {
      QElapsedTimer clock;
      clock.start();
      bar->setValue(value);
      text_->viewport()->repaint();
      times.add(clock);
    };
    for (int i = 0; i <= 200; ++i) to(bar->maximum() / 200 * i);
    for (int i = 0; i <= 200; ++i) to(bar->maximum() / 2 + i * bar->singleStep());
    row("scroll the text, 95th percentile", times.quantile(0.95), 16);
    application_.longest = times.worst();
    application_.longestWho = "the worst frame";
    longest("scrolling");
  }

  void search() {
    begin({"search.find", "no such thing"});
    settle();
    const auto* results = static_cast<ResultsPanel*>(window_.panel("results"));
    if (!begin({"search.find", QStringLiteral("lv%1").arg(bindings_ / 2)})) return;
    waitUntil([&] { return !results->hits().empty() || window_.settled(); }, kPatience);
    row("search all stages, first results", passed(), promise(100));
    settle();
    row(QStringLiteral("search all stages, all %1 results").arg(results->hits().size()), passed(), promise(1000));
    longest("searching");
    if (!begin({"search.find", "matmul"})) return;  // in every third line of every stage
    settle();
    row(QStringLiteral("search all stages, all %1 results").arg(results->hits().size()), passed(), 0);
    longest("searching what is everywhere");
  }

  void everythingElse() {
    const QString middle = QStringLiteral("lv%1").arg(bindings_ / 2);
    const QStringList lines[] = {{"view.panel", "source"}, {"view.panel", "symbols"}, {"view.panel", "graph"},
                                 {"edit.find", middle},    {"view.panel", "module"},  {"view.panel", "diff"},
                                 {"pass.goTo", "4"},       {"view.panel", "ir"},      {"edit.find", middle},
                                 {"module.check"},         {"view.palette", middle},  {"view.themeDark"},
                                 {"file.reload"}};
    for (const QStringList& line : lines) one(line);
  }
  void one(const QStringList& line, double promised = 0) {
    if (!begin(line)) return;
    settle();
    QApplication::processEvents();
    const double took = passed();
    application_.commandDone(took, line.join(' '));
    row(line.join(' '), took, promise(promised));
    if (application_.longest > 50) longest(line[0]);
  }

  void debug() {
    one({"pass.first"});
    one({"view.panel", "bytecode"});
    one({"debug.start", "main", "seed=1", "n=2"});
    for (int i = 0; i < 3; ++i) one({"debug.stepOver"}, 100);
    one({"debug.stepOver", "5"});
    for (int i = 0; i < 3; ++i) one({"debug.stepBack"}, 100);
    one({"debug.continue"});
    for (int i = 0; i < 3; ++i) one({"debug.stepBack"}, 100);
    one({"debug.reverseContinue"});
    one({"debug.stop"});
    one({"file.close"});
  }

  Watching& application_;
  int bindings_;
  QTemporaryDir folder_;
  Settings settings_{Settings::Keep::InMemory};
  LiveDocument document_;
  Selection selection_;
  LiveDebug debug_{&document_};
  MainWindow window_{&document_, &selection_, &debug_, &settings_};
  TextView* text_ = nullptr;
  std::optional<PaintWatch> paint_;
  QElapsedTimer clock_;
};

}  // namespace

void benchHistory(Watching& application, int steps) { LargeBench(application, 0).runHistory(steps); }

void benchLines(Watching& application, const QString& path) { LargeBench(application, 0).runLines(path); }

void benchLarge(Watching& application, int bindings) { LargeBench(application, bindings).run(); }

}  // namespace rx::views
