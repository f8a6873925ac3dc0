// User stories walked by the keyboard alone, as scripts: every file of walks/ in a window over a real engine, with
// ${tests}, ${samples} and a ${folder} of its own. And what the verbs of such scripts refuse.
#include <QDir>
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/shell/script_runner.h"

using namespace rx;
using namespace rx::views;

class LiveWalksTest : public QObject {
  Q_OBJECT

  /// Runs a script to its end; what it reported.
  static QStringList ran(LiveBench& bench, const QString& text, bool* ok) {
    bench.window.resize(1600, 1000);
    bench.window.activateWindow();
    if (!QTest::qWaitForWindowActive(&bench.window)) return {"the window is not active"};
    ScriptRunner runner(&bench.window, "walk", text);
    bool done = false;
    QObject::connect(&runner, &ScriptRunner::finished, &bench.window, [&](bool good) { *ok = good, done = true; });
    runner.start();
    if (!QTest::qWaitFor([&] { return done; }, 4 * kPatience)) return {"it does not end"};
    return runner.report();
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void stories_data() {
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(RX_SOURCE_DIR "/tests/views/walks"));
    for (const QString& name : folder.entryList({"*.script"})) QTest::newRow(qPrintable(name)) << folder.filePath(name);
  }
  void stories() {
    QFETCH(QString, file);
    LiveBench bench;
    bool ok = false;
    QTemporaryDir folder;
    const QString text = QString::fromUtf8(contentOf(file))
                             .replace("${tests}", RX_SOURCE_DIR "/tests")
                             .replace("${samples}", RX_SOURCE_DIR "/samples")
                             .replace("${folder}", folder.path());
    const QStringList report = ran(bench, text, &ok);
    constexpr qsizetype kLast = 8;  // a message of the test has room for so many
    QVERIFY2(ok, qPrintable(report.mid(std::max<qsizetype>(0, report.size() - kLast)).join('\n')));
  }

  /// A line fails where there is no such key, no such panel, or where a panel does not show a text.
  void verbsRefuse_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("no key") << "key Hyper+Nothing";
    QTest::newRow("no panel") << "shows nowhere text";
    QTest::newRow("no such text") << "shows ir \"no text of ours\"";
    QTest::newRow("no text") << "type";
    QTest::newRow("no arguments") << "shows ir";
  }
  void verbsRefuse() {
    QFETCH(QString, line);
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    bool ok = true;
    ran(bench, line, &ok);
    QVERIFY(!ok);
  }

  /// Keys go to what has the focus before they are shortcuts; in a field they write.
  void keysGoToTheFocus() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    bool ok = false;
    const QStringList report = ran(bench, "key Ctrl+F\ntype \"matmul\"\nkey Esc\nkey Ctrl+End\nkey Up\n", &ok);
    QVERIFY2(ok, qPrintable(report.join('\n')));
    QVERIFY(!bench.selection.place().function.isEmpty());
  }
};

QTEST_MAIN(LiveWalksTest)
#include "tst_live_walks.moc"
