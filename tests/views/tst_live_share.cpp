// What leaves the window: pictures, pages, links to a window that runs, diagnostics.
#include <QApplication>
#include <QClipboard>
#include <QImage>
#include <QThread>
#include <QXmlStreamReader>

#include "live_bench.h"
#include "views/models/diagnostics_report.h"
#include "views/shell/single_instance.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class LiveShareTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void pictures() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"graph"}));
    QVERIFY(bench.does("view.savePicture", {path("graph.png"), "graph"}));
    QVERIFY(QImage(path("graph.png")).width() > 100);
    QVERIFY(bench.does("view.savePicture", {path("graph.svg"), "graph"}));
    QXmlStreamReader xml(contentOf(path("graph.svg")));
    int elements = 0;
    while (!xml.atEnd()) elements += xml.readNext() == QXmlStreamReader::StartElement;
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QVERIFY(elements > 20);
    QVERIFY(contentOf(path("graph.svg")).contains("matmul"));  // letters, not pixels
    // It is as large as on screen, its letters have the size that they have there, and what scrolls is clipped.
    const auto svgOf = [&](const char* panel) {
      return bench.does("view.savePicture", {path("panel.svg"), panel}) ? contentOf(path("panel.svg")) : QByteArray();
    };
    const QByteArray text = svgOf("ir");
    const QWidget* ir = bench.window.panel("ir");
    const auto asNumber = [](qreal value) { return QByteArray::number(value, 'g', 7); };
    QVERIFY(text.contains("width=\"" + asNumber(ir->width()) + "\" height=\"" + asNumber(ir->height()) + '"'));
    const auto* view = ir->findChild<TextView*>();
    QVERIFY(text.contains("font-size=\"" + asNumber(QFontInfo(view->viewport()->font()).pixelSize()) + '"'));
    QVERIFY(text.contains("<clipPath") && text.contains("clip-path=\"url(#c1)\""));
    QCOMPARE(text.count("<g "), text.count("</g>"));
    QVERIFY(bench.does("view.savePicture", {path("all.png"), "window"}));
    QCOMPARE(QImage(path("all.png")).width(), qRound(1280 * bench.window.devicePixelRatioF()));
    QVERIFY(!bench.window.run("view.savePicture", {path("graph.bmp"), "graph"}));
    QVERIFY(!bench.window.run("view.savePicture", {path("x.png"), "no such panel"}));
    QVERIFY(!bench.window.run("view.savePicture", {path("no/such/folder/x.png"), "graph"}));
  }

  /// A run is kept in a file, and opened at its end in a window that runs nothing.
  void recordings() {
    const QString file = path("kept.rxtrace");
    ValueSummary seen;
    {
      LiveBench bench;
      QVERIFY(bench.open("attention_fp16"));
      QVERIFY(!bench.window.run("file.saveRecording", {file}));  // nothing ran
      QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
      QCOMPARE(bench.debug.state(), RunState::Ended);
      seen = bench.debug.valueOf("main", bench.document.stage(0)->function("main")->bindingNamed("weights")->ordinal);
      QVERIFY(seen.known);
      QVERIFY(bench.does("file.saveRecording", {file}));
    }
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.hasTrace() && bench.debug.idle(); }, kPatience));
    QVERIFY(bench.settle());
    QVERIFY(bench.document.path().endsWith("kept.py"));
    QVERIFY(bench.debug.replays());
    QCOMPARE(bench.debug.state(), RunState::Ended);
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const ValueSummary weights = bench.debug.valueOf("main", main->bindingNamed("weights")->ordinal);
    QVERIFY(weights.known);
    QCOMPARE(weights.nan, seen.nan);
    QVERIFY2(bench.window.statusText().contains("recording"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.debug.stop().step < bench.debug.recorded());
    QVERIFY(bench.settings.recentFiles().contains(file));
    // Of another module it is refused, and what is no recording is read as a module.
    LiveBench other;
    QVERIFY(other.open("mlp"));
    QVERIFY(QFile::remove(path("kept.py")));
    QVERIFY(other.window.run("file.open", {file}));
    QVERIFY(QTest::qWaitFor([&] { return other.debug.failure() != nullptr; }, kPatience));
    QVERIFY2(other.debug.failure()->message.contains("another module"), qPrintable(other.debug.failure()->message));
    LiveBench empty;
    QVERIFY(!empty.window.run("file.open", {file}));
    QVERIFY2(empty.window.lastError().contains("open the module"), qPrintable(empty.window.lastError()));
    QVERIFY(write(path("cut.rxtrace"), "rxtrace2 and nothing more"));
    QVERIFY(other.window.run("file.open", {path("cut.rxtrace")}));
    QVERIFY(QTest::qWaitFor([&] { return other.debug.failure() && other.debug.failure()->rule.startsWith("store."); },
                            kPatience));
  }

  /// Pages stand on their own: no scripts, nothing that is fetched, text escaped, colours inside.
  void pages() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("share.stage", {path("stage.html")}));
    const QByteArray stage = contentOf(path("stage.html"));
    QVERIFY(stage.contains("matmul") && stage.contains("color:#") && stage.contains("relaxscope://"));
    QVERIFY(!bench.window.run("share.diff", {path("diff.html")}));  // the imported module has none before it
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("share.diff", {path("diff.html")}));
    const QByteArray diff = contentOf(path("diff.html"));
    QVERIFY(diff.contains("lines added") && diff.contains("equal line") && diff.contains("call_tir"));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    // A run's values stand beside the text as they do on screen.
    QVERIFY(!stage.contains("values after step"));
    QVERIFY(bench.does("share.stage", {path("stage_values.html")}));
    const QByteArray values = contentOf(path("stage_values.html"));
    QVERIFY2(values.contains("values after step 105") && values.contains("n = 6") && values.contains("18 NaN"),
             values.constData());
    QVERIFY(bench.does("share.value", {path("value.html")}));
    const QByteArray value = contentOf(path("value.html"));
    QVERIFY2(value.contains("18 NaN") && value.contains("background:#"), value.constData());
    // A value says which run made it and leads to where that stands; long lines go on deeper than they began.
    QVERIFY2(value.contains("rxs run ") && value.contains("step=105"), value.constData());
    QVERIFY(values.contains("values after step 105 of rxs run "));
    QVERIFY(stage.contains("padding-left:12ch;text-indent:-12ch") && diff.contains("text-indent:-"));
    for (const QByteArray& page : {stage, diff, value, values}) {
      QVERIFY(page.startsWith("<!DOCTYPE html>"));
      QVERIFY2(!page.contains(RX_SOURCE_DIR) && page.contains("file=attention_fp16&amp;"), page.constData());
      QVERIFY(!page.contains("<script") && !page.contains("src=") && !page.contains("<link") &&
              !page.contains("href="));
      QXmlStreamReader xml(page);
      while (!xml.atEnd()) xml.readNext();
      QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    }
    QVERIFY(!bench.does("share.stage", {path("no/such/folder/x.html")}) || !bench.window.toolError().isEmpty());
  }

  /// A second start hands its link to the window that runs; what is no link is not taken.
  void linksToARunningWindow() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    Place place{0, "main", 2, main.bindings[2].name, -1};
    const QString link = linkOf(place, bench.document.path());
    LinkServer server;
    connect(&server, &LinkServer::linkArrived, &bench.window,
            [&](const QString& arrived) { bench.window.run("file.openLink", {arrived}); });
    const QString socket = path("link.socket");
    QVERIFY(!sendLink(socket, link));  // nobody listens
    QVERIFY(server.listen(socket));
    bool taken = false;
    const auto send = [&](const QString& text) {
      taken = false;
      std::unique_ptr<QThread> thread(QThread::create([&] { taken = sendLink(socket, text); }));
      thread->start();
      return QTest::qWaitFor([&] { return thread->isFinished(); }, kPatience);
    };
    QVERIFY(send(link) && taken);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, main.bindings[2].name);
    QVERIFY(send("http://example.org/"));
    QVERIFY(!taken);
    QVERIFY(bench.does("file.copyLink"));
    QCOMPARE(QApplication::clipboard()->text(), link);
    // A file that was named from the current folder is linked to from any.
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(kSamples));
    const bool copied = bench.does("file.open", {"mlp"}) && bench.does("file.copyLink");
    QVERIFY(QDir::setCurrent(before) && copied);
    const QString linked = QApplication::clipboard()->text();
    QVERIFY(bench.does("file.close") && bench.does("file.openLink", {linked}));
    QVERIFY2(bench.document.path().endsWith("samples/mlp") && QDir::isAbsolutePath(bench.document.path()),
             qPrintable(linked));
  }

  void diagnostics() {
    LiveBench bench;
    bench.debug.keepLog(path("state/log.txt"));
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(!bench.debug.log().empty());
    QVERIFY(bench.debug.log().front().time.isValid());
    QVERIFY(contentOf(path("state/log.txt")).contains("engine"));
    QVERIFY(bench.does("help.saveDiagnostics", {path("report.txt")}));
    const QString report = QString::fromUtf8(contentOf(path("report.txt")));
    for (const char* part : {"Qt ", "LLVM 19", "system ", "processor ", "background_thread:true", "Log, without"})
      QVERIFY2(report.contains(part), part);
    QVERIFY2(!report.contains(kSamples), qPrintable(report));
    QVERIFY(report.contains("…/"));
    QVERIFY(bench.does("help.saveDiagnostics", {path("whole.txt"), "with-data"}));
    QVERIFY(QString::fromUtf8(contentOf(path("whole.txt"))).contains(kSamples));
    QVERIFY(!bench.window.run("help.saveDiagnostics", {path("x.txt"), "colour"}));
    // Versions and a log, and nothing of the user's: no folder, also where its name has blanks, nor what a program
    // printed, nor who runs it.
    for (const QString& of : {QDir::homePath(), QDir::currentPath(), QSysInfo::machineHostName()})
      QVERIFY2(of.size() < 2 || !report.contains(of), qPrintable(of));
    QVERIFY2(!report.contains(" output "), qPrintable(report));
    QCOMPARE(withoutPaths("n/a 1/2 a /home/me/secret/model.py:3 b file=/tmp/x/y"),
             QString("n/a 1/2 a …/model.py:3 b file=…/y"));
    QCOMPARE(withoutPaths("rxs run '/home/me/my nets/a b/module.py' --func main --params '/home/me/my nets/p.npz'"),
             QString("rxs run '…/module.py' --func main --params '…/p.npz'"));
    QCOMPARE(withoutPaths("written to /home/me/my nets/x.png."), QString("written to …/x.png."));
  }
};

QTEST_MAIN(LiveShareTest)
#include "tst_live_share.moc"
