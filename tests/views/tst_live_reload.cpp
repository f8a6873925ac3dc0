// Files that change while they are open: what the window says, what it reads again, and that every place stays where it
// was.
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/shell/toolbar_button.h"

using namespace rx;
using namespace rx::views;

namespace {

constexpr const char* kHead =
    "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), "
    "\"float32\"):\n        with R.dataflow():\n";
constexpr const char* kTail = "            R.output(c)\n        return c\n";

/// A function of calls in lines of their own.
QByteArray moduleOf(const QList<QByteArray>& lines) {
  QByteArray text = kHead;
  for (const QByteArray& line : lines) text += "            " + line + '\n';
  return text + kTail;
}

const QByteArray kA = "a = R.add(x, x)", kB = "b = R.multiply(a, x)", kC = "c = R.subtract(b, a)";

bool eventually(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, kPatience); }

}  // namespace

class LiveReloadTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

  /// Replaces a file as editors do: another is written beside it and renamed over it.
  bool replace(const QString& file, const QByteArray& bytes) {
    return write(file + ".new", bytes) && ::rename(qPrintable(file + ".new"), qPrintable(file)) == 0;
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Written in place or renamed over, a text that opens is read at once, and that is said; nothing else moves.
  void readsAgain() {
    const QString file = path("again.py");
    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("select.binding", {"b"}));
    Panel* const focused = bench.window.focusedPanel();
    for (const bool renamed : {false, true, true}) {
      const QByteArray text = moduleOf({kA, kB, kC}) + QByteArray("# ") + (renamed ? "renamed" : "written") + '\n';
      QVERIFY(renamed ? replace(file, text) : write(file, text));
      QVERIFY(eventually([&] { return bench.document.sourceText().toUtf8() == text; }));
      QVERIFY(bench.settle());
      QVERIFY2(bench.window.statusText().contains("changed on disk and was read again"),
               qPrintable(bench.window.statusText()));
      QCOMPARE(bench.document.fileState(), Document::FileState::AsRead);
      QCOMPARE(bench.selection.place().variable, QString("b"));
      QCOMPARE(bench.window.focusedPanel(), focused);
    }
  }

  /// Where lines were added or taken away the selection, breakpoints, bookmarks and watches stay with their bindings; a
  /// breakpoint whose binding is gone stops nowhere and comes back with it.
  void placesFollow() {
    const QString file = path("places.py");
    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("select.binding", {"b"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"b"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"c"}));
    QVERIFY(bench.does("bookmark.toggle"));
    bench.debug.addWatch("x[0]");
    QVERIFY(write(file, moduleOf({"z = R.negative(x)", kA, "y = R.exp(z)", kB, kC})));
    QVERIFY(eventually([&] { return bench.selection.place().binding == 3; }));
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("b"));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{2});
    QCOMPARE(bench.debug.breakpoints()[0].binding, 3);
    QCOMPARE(bench.debug.breakpoints()[1].binding, 4);
    QCOMPARE(bench.window.desk().notes.rows().front().place.binding, 3);
    QCOMPARE(bench.debug.watches().size(), size_t{1});
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QCOMPARE(bench.debug.stop().variable, QString("b"));
    QVERIFY(bench.does("debug.stop"));

    QVERIFY(write(file, moduleOf({kA, "c = R.subtract(x, a)"})));
    QVERIFY(eventually([&] { return bench.debug.breakpoints()[0].binding == -1; }));
    QVERIFY(bench.settle());
    QVERIFY2(bench.window.statusText().contains("nothing to stop at any more: there is no b in stage 0"),
             qPrintable(bench.window.statusText()));
    QCOMPARE(bench.debug.breakpoints()[1].binding, 1);
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QCOMPARE(bench.debug.stop().variable, QString("c"));
    QVERIFY(!bench.debug.breakpoints()[0].verified);
    QVERIFY(bench.does("debug.stop"));

    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    QVERIFY(eventually([&] { return bench.debug.breakpoints()[0].binding == 1; }));
    QCOMPARE(bench.window.desk().notes.rows().front().place.binding, 1);
  }

  /// The stage that is shown is made again, and the selection found in it.
  void laterStages() {
    const QString file = path("stages.py");
    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("select.binding", {"b"}));
    const int stage = bench.selection.place().stage;
    QVERIFY(stage > 0);
    QVERIFY(write(file, moduleOf({"z = R.negative(x)", kA, "y = R.exp(z)", kB, kC})));
    QVERIFY(eventually([&] { return bench.document.sourceText().contains("negative"); }));
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, stage);
    const FunctionRow* main = bench.document.stage(stage, false)->function("main");
    QCOMPARE(main->binding(bench.selection.place().binding)->name, QString("b"));
  }

  /// A text that does not open leaves the last good one where it is: no panel comes, the card waits to be asked for.
  void refused_data() {
    QTest::addColumn<QByteArray>("text");
    const QByteArray good = moduleOf({kA, kB, kC});
    QTest::newRow("truncated") << good.left(good.size() / 2);
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no text") << QByteArray(
        "\x7f"
        "ELF\x00\xff\xfe",
        8);
  }
  void refused() {
    QFETCH(QByteArray, text);
    const QString file = path("refused.py");
    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("select.binding", {"b"}));
    Panel* const focused = bench.window.focusedPanel();
    const bool source = bench.window.panel("source")->isVisible();
    QVERIFY(replace(file, text));
    QVERIFY(eventually([&] { return bench.document.isStale(); }));
    QVERIFY(bench.settle());
    QCOMPARE(bench.window.focusedPanel(), focused);
    QCOMPARE(bench.window.panel("source")->isVisible(), source);
    QWidget* card = bench.window.findChild<QWidget*>("outcomeCard");
    QVERIFY(card && !card->isVisible());
    QVERIFY2(bench.window.statusText().contains("does not open"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.window.windowTitle().contains("changed on disk, does not open"));
    QCOMPARE(bench.document.stage(0)->function("main")->bindings.size(), size_t{3});
    QVERIFY(eventually([&] { return !bench.window.cardText().isEmpty(); }));
    QVERIFY(bench.does("view.card"));
    QVERIFY(card->isVisible());
    // A reload that was asked for says so in the middle.
    QVERIFY(bench.does("view.panel", {"ir"}));
    QVERIFY(bench.window.run("file.reload"));
    QVERIFY(bench.settle());
    QVERIFY(bench.window.panel("problems")->isVisible());
    QVERIFY(replace(file, moduleOf({kA, "c = R.subtract(x, a)"})));
    QVERIFY(eventually([&] { return !bench.document.isStale(); }));
    QVERIFY(bench.settle());
    QVERIFY(!bench.window.windowTitle().contains("disk"));
  }

  /// Deleted, moved away or replaced by a folder: what was read stays, and that is said until it is back.
  void gone() {
    const QString file = path("gone.py");
    const QByteArray text = moduleOf({kA, kB, kC});
    QVERIFY(write(file, text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    const std::vector<std::function<bool()>> ends = {[&] { return QFile::remove(file); },
                                                     [&] { return QFile::rename(file, path("away.py")); },
                                                     [&] { return QFile::remove(file) && QDir().mkdir(file); }};
    for (const auto& end : ends) {
      QVERIFY(end());
      QVERIFY(eventually([&] { return bench.document.fileState() == Document::FileState::Gone; }));
      QVERIFY(bench.settle());
      QVERIFY2(bench.window.statusText().contains("gone from the disk"), qPrintable(bench.window.statusText()));
      QVERIFY(bench.window.windowTitle().contains("gone from the disk"));
      QCOMPARE(bench.document.stage(0)->function("main")->bindings.size(), size_t{3});
      QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));  // of the text that is shown
      QCOMPARE(bench.debug.state(), RunState::Ended);
      QVERIFY(bench.does("debug.stop"));
      QDir().rmdir(file);
      QVERIFY(write(file, text));
      QVERIFY(eventually([&] { return bench.document.fileState() == Document::FileState::AsRead; }));
      QVERIFY(bench.settle());
      QVERIFY(!bench.window.windowTitle().contains("disk"));
      QFile::remove(path("away.py"));
    }
  }

  /// While something runs the text stays that of the run; the file is read when it is asked for. What was computed
  /// stays with its bindings, as values of the past, until something runs again.
  void duringARun() {
    const QString file = path("run.py");
    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(write(file, moduleOf({"z = R.negative(x)", kA, kB, kC})));
    QVERIFY(eventually([&] { return bench.document.fileState() == Document::FileState::Changed; }));
    QVERIFY(bench.settle());
    QVERIFY2(bench.window.statusText().contains("The run goes on with the text"),
             qPrintable(bench.window.statusText()));
    QVERIFY(!bench.document.sourceText().contains("negative"));
    QVERIFY(bench.does("debug.stepOver"));
    QCOMPARE(bench.debug.stop().variable, QString("a"));
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(bench.window.windowTitle().contains("changed on disk"));
    QVERIFY(bench.does("file.reload"));
    QVERIFY(bench.document.sourceText().contains("negative"));
    const QString past = "run.py before it changed";
    QCOMPARE(bench.debug.pastOf(), past);
    QVERIFY2(bench.window.statusText().contains(past), qPrintable(bench.window.statusText()));
    // What F5 does then is said before it does it, and how the new text is run.
    QVERIFY2(bench.window.dump("log").contains("Continue goes on with that, Restart runs what is open."),
             qPrintable(bench.window.dump("log")));
    const auto* primary = bench.window.findChild<ToolbarButton*>("button.debug.continue");
    QTRY_COMPARE(primary->accessibleName(), QString("Continue old run"));
    const auto value = [&](int binding) { return bench.debug.valueOf("main", binding); };
    QVERIFY(!value(0).known && !value(2).known);
    QVERIFY(value(1).known);
    QCOMPARE(value(1).variable, QString("a"));
    QCOMPARE(bench.debug.stop().nextBinding, 2);
    QVERIFY2(bench.window.dump("ir").contains("was  (4,) f32"), qPrintable(bench.window.dump("ir")));
    // It can be looked at, stepped and stopped at its own bindings as before.
    QVERIFY(bench.does("debug.toggleBreakpoint", {"c"}) && bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().nextBinding, 3);
    QVERIFY(value(2).known && bench.debug.pastOf() == past);
    QVERIFY(bench.does("select.binding", {"a"}) && bench.does("debug.goToBinding"));
    QCOMPARE(bench.debug.stop().madeBinding, 1);
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.debug.pastOf().isEmpty());
    QTRY_COMPARE(primary->accessibleName(), QString("Continue"));
    QVERIFY(bench.does("debug.continue") && value(0).known && value(2).known);
  }

  /// A folder of stages is read again when that is asked for; the stage that was shown is found by its name.
  void folders() {
    QVERIFY(QDir().mkdir(path("dumps")));
    QVERIFY(write(path("dumps/01_First.py"), moduleOf({kA, kB, kC})));
    QVERIFY(write(path("dumps/03_Third.py"), moduleOf({kA, "c = R.subtract(x, a)"})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path("dumps")}));
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.does("select.binding", {"a"}));
    const QString shown = bench.document.steps()[1].name;
    QVERIFY(write(path("dumps/02_Second.py"), moduleOf({kA, kB, kC})));
    QVERIFY(eventually([&] { return bench.document.fileState() == Document::FileState::Changed; }));
    QVERIFY(bench.settle());
    QVERIFY2(bench.window.statusText().contains("Files in dumps changed on disk"),
             qPrintable(bench.window.statusText()));
    QCOMPARE(bench.document.steps().size(), size_t{2});
    QVERIFY(bench.does("file.reload"));
    QCOMPARE(bench.document.steps().size(), size_t{3});
    QCOMPARE(bench.document.steps()[static_cast<size_t>(bench.selection.place().stage)].name, shown);
    QCOMPARE(bench.selection.place().variable, QString("a"));
    QCOMPARE(bench.document.fileState(), Document::FileState::AsRead);
    // One that can not be read any more is a red row.
    QVERIFY(write(path("dumps/02_Second.py"), "nothing"));
    QVERIFY(eventually([&] { return bench.document.fileState() == Document::FileState::Changed; }));
    QVERIFY(bench.does("file.reload"));
    QCOMPARE(bench.document.steps()[1].state, StepState::Failed);
    QCOMPARE(bench.document.steps()[static_cast<size_t>(bench.selection.place().stage)].name, shown);
  }

  /// A file that was refused is tried again when it changes.
  void mendedFile() {
    const QString file = path("mended.py");
    QVERIFY(write(file, moduleOf({kA, "b = R.multiply(a,", kC})));
    LiveBench bench;
    QVERIFY(bench.window.run("file.open", {file}));
    QVERIFY(bench.settle());
    QCOMPARE(bench.document.state(), Document::State::Failed);
    QVERIFY(write(file, moduleOf({kA, kB, kC})));
    QVERIFY(eventually([&] { return bench.document.state() == Document::State::Ready; }));
    QVERIFY(bench.settle());
    QVERIFY(bench.document.problems().empty());
  }
};

QTEST_MAIN(LiveReloadTest)
#include "tst_live_reload.moc"
