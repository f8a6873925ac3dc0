#include "bench_graph.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cstdio>

#include "../views/networks.h"
#include "views/canvas/graph_canvas.h"
#include "views/panels/graph/graph_panel.h"
#include "views/session/live_debug.h"
#include "views/session/live_document.h"
#include "views/shell/main_window.h"

namespace rx::views {
namespace {

constexpr int kPatience = 300000;

void row(const QString& what, double value, double limit, const QString& reference, double other) {
  std::printf("%-52s %8.1f ms  (at most %5.0f)   %-42s %8.1f ms\n", qPrintable(what), value, limit,
              qPrintable(reference), other);
  std::fflush(stdout);
}

double milliseconds(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e6; }

/// A chain in which nothing comes again: folding can not make it small.
QByteArray unlikeChain(int bindings) {
  QByteArray text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x: R.Tensor((8, 64), dtype=\"float32\")):\n"
      "        with R.dataflow():\n";
  const char* calls[] = {"R.nn.relu(%1)", "R.add(%1, %2)", "R.sigmoid(%1)", "R.multiply(%1, %2)", "R.tanh(%1)"};
  uint32_t random = 1;
  QString last = "x", before = "x";
  for (int i = 0; i < bindings; ++i) {
    random = random * 1664525u + 1013904223u;
    const QString name = QStringLiteral("lv%1").arg(i);
    const QString call = QString::fromLatin1(calls[(random >> 16) % 5]);
    text += QStringLiteral("            %1 = %2\n")
                .arg(name, call.contains("%2") ? call.arg(last, before) : call.arg(last))
                .toUtf8();
    before = last, last = name;
  }
  return text + QStringLiteral("            R.output(%1)\n        return %1\n").arg(last).toUtf8();
}

class GraphBench {
 public:
  GraphBench(const std::function<void()>& startWatch, const std::function<double()>& longest,
             const std::function<QString()>& who)
      : startWatch_(startWatch), longest_(longest), who_(who) {
    window_.resize(1600, 1000);
    window_.show();
  }

  bool open(const QByteArray& text) {
    QFile file(folder_.filePath(QStringLiteral("module%1.py").arg(++files_)));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return false;
    file.close();
    restart();
    return does("file.open", {file.fileName()}) && does("select.function", {"main"}) && does("view.panel", {"graph"});
  }
  bool does(const QString& id, const QStringList& arguments = {}) {
    QElapsedTimer call;
    call.start();
    const bool begun = window_.run(id, arguments);
    call_ = std::max(call_, milliseconds(call));
    if (!begun) return std::printf("  %s: %s\n", qPrintable(id), qPrintable(window_.lastError())), false;
    return settle();
  }
  bool settle() {
    const bool done = QTest::qWaitFor([this] { return window_.settled(); }, kPatience);
    QApplication::processEvents();
    return done;
  }
  GraphPanel& panel() { return *static_cast<GraphPanel*>(window_.panel("graph")); }
  GraphCanvas& canvas() { return *panel().canvas(); }

  /// From the wish to see every operation until they are laid out, whatever the thread does meanwhile.
  void layout(const QString& what, double limit) {
    restart();
    panel().command("unfold", {});
    call_ = milliseconds(clock_);
    if (!settle()) return;
    row(what, milliseconds(clock_), limit, QStringLiteral("longest event of the window's thread"),
        std::max(call_, longest_()));
    std::printf("  %zu nodes, %zu lines\n", canvas().graph()->model.nodes.size(),
                canvas().graph()->layout.edges.size());
  }

  /// The time of a frame while the wheel turns, 95 of 100 are below: from nearby, and from as far as all details of
  /// the picture change.
  void pan(const QString& what, double limit) {
    for (const double scale : {1.0, 0.6, 0.3, 0.1, 0.04, 0.01}) {
      canvas().zoomBy(scale / canvas().scale());
      panHere(what + QStringLiteral(" at %1 %").arg(scale * 100), limit);
    }
  }
  void panHere(const QString& what, double limit) {
    const QPointF middle = canvas().rect().center();
    std::vector<double> frames;
    startWatch_();
    for (int i = 0; i < 400; ++i) {
      QElapsedTimer frame;
      frame.start();
      QWheelEvent wheel(middle, canvas().mapToGlobal(middle), {}, {0, i < 200 ? -240 : 240}, Qt::NoButton,
                        Qt::NoModifier, Qt::NoScrollPhase, false);
      QApplication::sendEvent(&canvas(), &wheel);
      canvas().repaint();
      frames.push_back(milliseconds(frame));
    }
    std::sort(frames.begin(), frames.end());
    row(what, frames[frames.size() * 95 / 100], limit, QStringLiteral("the longest of 400 frames"), frames.back());
  }

  void longestOf(const QString& what, double limit) {
    const double took = milliseconds(clock_);
    row(what, std::max(call_, longest_()), limit, QStringLiteral("all of it"), took);
    std::printf("  the longest event went to %s, the longest command took %.1f ms\n", qPrintable(who_()), call_);
  }
  void restart() {
    startWatch_();
    call_ = 0;
    clock_.start();
  }

 private:
  const std::function<void()>& startWatch_;
  const std::function<double()>& longest_;
  const std::function<QString()>& who_;
  QTemporaryDir folder_;
  int files_ = 0;
  QElapsedTimer clock_;
  double call_ = 0;  // the longest call of a command, which is no event
  Settings settings_{Settings::Keep::InMemory};
  LiveDocument document_;
  Selection selection_;
  LiveDebug debug_{&document_};
  MainWindow window_{&document_, &selection_, &debug_, &settings_};
};

}  // namespace

void benchGraph(const std::function<void()>& startWatch, const std::function<double()>& longest,
                const std::function<QString()>& who) {
  GraphBench bench(startWatch, longest, who);
  if (!bench.open(ResNetText(true).write({3, 4, 6, 3}))) return;
  bench.layout("graph layout resnet50, imported", 500);
  if (!bench.does("pass.goTo", {"9"})) return;
  bench.layout("graph layout resnet50, lowered", 500);
  bench.panel().command("machine", {});
  if (!bench.settle()) return;
  bench.layout("graph layout resnet50, lowered, all instructions", 500);
  bench.panel().command("machine", {});
  if (!bench.open(unlikeChain(10'000))) return;
  bench.pan("pan p95, 10,000 bindings", 16);
  if (!bench.open(unlikeChain(100'000))) return;
  bench.longestOf("graph of 100,000 bindings, longest frame", 100);
  bench.pan("pan p95, 100,000 bindings", 100);
  bench.restart();
  if (!bench.does("graph.colour", {"change"}) || !bench.does("select.binding", {"lv50000"})) return;
  bench.longestOf("select and colour in 100,000, longest frame", 100);
}

}  // namespace rx::views
