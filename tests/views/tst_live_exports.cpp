// What the window writes: copied commands, values, packages, graphs, histories of dumped stages; with the real core and
// the real engine behind it.
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>

#include "core/tensor/npy.h"
#include "live_bench.h"

using namespace rx;
using namespace rx::views;

namespace {

/// Runs a line as a person's shell would, `rxs` being the one that was built.
int shell(const QString& line, QByteArray* output) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", QStringLiteral(RX_BINARY_DIR "/bin:") + environment.value("PATH"));
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start("sh", {"-c", line});
  if (!process.waitForFinished(kPatience)) return -1;
  *output = process.readAll();
  return process.exitCode();
}

}  // namespace

class LiveExportsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// What "copy as rxs command" copies does what the window shows, when pasted.
  void copiedCommands_data() {
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QByteArray>("prints");
    QTest::newRow("the module") << QStringList{} << QByteArray("class Module");
    QTest::newRow("a stage") << QStringList{"pass.goTo 4"} << QByteArray("call_tir");
    QTest::newRow("a run") << QStringList{"debug.start main"} << QByteArray("out_0");
    QTest::newRow("a generated run") << QStringList{"debug.start main seed=3 n=5"} << QByteArray("(5, 32)");
  }
  void copiedCommands() {
    QFETCH(QStringList, before);
    QFETCH(QByteArray, prints);
    const QString copy = path("a folder");
    QDir().mkpath(copy);
    for (const char* name : {"module.py", "params.npz", "inputs.npz"})
      QFile::copy(kSamples + "attention/" + name, copy + '/' + name);
    LiveBench bench;
    QVERIFY(bench.does("file.open", {copy}));
    for (const QString& line : before) {
      const QStringList words = line.split(' ');
      QVERIFY2(bench.does(words[0], words.mid(1)), qPrintable(bench.window.lastError()));
    }
    QVERIFY(bench.does("edit.copyCommand"));
    const QString line = QGuiApplication::clipboard()->text();
    QVERIFY2(line.startsWith("rxs "), qPrintable(line));
    QByteArray output;
    QCOMPARE(shell(line, &output), 0);
    QVERIFY2(output.contains(prints), (line.toUtf8() + '\n' + output.left(2000)).constData());
  }

  /// The file holds the bytes that were shown.
  void savedValues() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(bench.does("select.binding", {"gv"}));
    QVERIFY(!bench.window.run("export.value", {path("x.npy")}));  // it has no value yet
    QVERIFY(bench.does("select.binding", {"q"}));
    QVERIFY(bench.does("export.value", {path("q.npy")}));
    const auto saved = readNpy(path("q.npy").toStdString());
    QVERIFY(saved.ok());
    const ValueSummary shown = bench.debug.valueOf("main", bench.selection.place().binding);
    QCOMPARE((*saved)->count(), shown.count);
    TensorSlice slice;
    bool answered = false;
    bench.debug.fetchSlice(shown.reference, {0, 0}, {6, 32}, &bench.window, [&](const TensorSlice& got) {
      slice = got;
      answered = true;
    });
    QVERIFY(QTest::qWaitFor([&] { return answered; }, kPatience));
    QCOMPARE(static_cast<int64_t>(slice.values.size()), (*saved)->count());
    for (size_t i = 0; i < slice.values.size(); ++i) QCOMPARE((*saved)->at(static_cast<int64_t>(i)), slice.values[i]);
    QVERIFY(bench.does("export.value", {"/no/such/folder/q.npy"}));
    QVERIFY2(bench.window.toolError().contains("not written"), qPrintable(bench.window.toolError()));
  }

  void packages() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("export.package", {path("package")}));
    QVERIFY2(bench.window.toolError().isEmpty(), qPrintable(bench.window.toolError()));
    QVERIFY2(bench.window.statusText().contains("verified"), qPrintable(bench.window.statusText()));
    QVERIFY(QFile::exists(path("package/manifest.json")));
    QVERIFY(bench.does("export.package", {path("other"), "/no/such/params.npz"}));
    QVERIFY(bench.window.toolError().contains("params"));
    QVERIFY(!QFile::exists(path("other/manifest.json")));
  }

  void exportDialog() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.run("export.package"));
    auto* dialog = bench.window.findChild<QDialog*>();
    QVERIFY(dialog && !dialog->isModal());
    auto* folder = dialog->findChild<QLineEdit*>("folder");
    folder->setText(path("by dialog"));
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() == "Write and verify") button->click();
    }
    QVERIFY(bench.settle());
    const QString said = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    QVERIFY2(said.contains("Written and verified"), qPrintable(said));
    QVERIFY2(said.startsWith("$ rxs build ") && said.contains("'" + path("by dialog") + "'"), qPrintable(said));
    QVERIFY(contentOf(path("by dialog/manifest.json")).contains("ApplySchedules"));
    auto* passes = dialog->findChild<QComboBox*>("passes");
    QCOMPARE(passes->currentIndex(), 0);
    passes->setCurrentIndex(1);
    folder->setText(path("as shown"));
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() == "Write and verify") button->click();
    }
    QVERIFY(bench.settle());
    QVERIFY(contentOf(path("as shown/manifest.json")).contains("CallTIRRewrite"));
    QVERIFY(!contentOf(path("as shown/manifest.json")).contains("ApplySchedules"));
    dialog->close();
  }

  /// An export whose program is killed says that, and leaves no half of a package.
  void killedExport() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.run("export.package"));
    auto* dialog = bench.window.findChild<QDialog*>();
    dialog->findChild<QLineEdit*>("folder")->setText(path("killed"));
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text() == "Write and verify") button->click();
    auto* tool = bench.window.findChild<QProcess*>();
    QVERIFY(tool);
    QTRY_VERIFY(tool->processId() > 0);
    tool->kill();
    QVERIFY(bench.settle());
    const QString said = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    QVERIFY2(said.contains("killed by signal 9"), qPrintable(said));
    QVERIFY2(bench.window.toolError().contains("killed by signal 9"), qPrintable(bench.window.toolError()));
    QVERIFY(!QFile::exists(path("killed/manifest.json")) || QFile::exists(path("killed/libmodel.so")));
    dialog->close();
  }

  void graphs() {
    if (QStandardPaths::findExecutable("dot").isEmpty()) QSKIP("Graphviz is not installed");
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    const std::pair<const char*, const char*> forms[] = {{"g.svg", "<svg"}, {"g.pdf", "%PDF"}, {"g.dot", "digraph"}};
    for (const auto& [name, mark] : forms) {
      QVERIFY2(bench.does("export.graph", {path(name)}), name);
      QVERIFY2(QTest::qWaitFor([&, file = name] { return !contentOf(path(file)).isEmpty(); }, kPatience), name);
      QVERIFY2(contentOf(path(name)).contains(mark), name);
    }
    QVERIFY(!bench.window.run("export.graph", {path("g.xyz")}));
  }

  /// A folder that `rxs opt --dump` wrote is a pass history.
  void dumpedHistories() {
    QByteArray output;
    QCOMPARE(shell("rxs opt " + shellWord(kSamples + "mlp") + " --passes 'LegalizeOps(), CallTIRRewrite()' --dump " +
                       shellWord(path("dump")),
                   &output),
             0);
    LiveBench bench;
    QVERIFY2(bench.does("file.openFolder", {path("dump")}), qPrintable(bench.window.statusText()));
    QCOMPARE(bench.document.steps().size(), size_t{3});
    QCOMPARE(bench.document.steps()[1].name, QString("LegalizeOps"));
    QVERIFY(!bench.document.steps()[1].changed.empty());
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.window.dump("ir").contains("alloc_tensor"));
    QVERIFY(!bench.document.canRunPasses());
    QDir().mkpath(path("empty"));
    QVERIFY(bench.does("file.openFolder", {path("empty")}));
    QVERIFY(bench.document.openError().contains("neither"));
    QCOMPARE(bench.document.steps().size(), size_t{3});
  }

  /// The engine of an export can die as well.
  void exportsThatDie() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    qputenv("RELAXSCOPE_RXS", "/bin/false");
    QVERIFY(bench.does("export.package", {path("never")}));
    QVERIFY(!bench.window.toolError().isEmpty());
    qputenv("RELAXSCOPE_RXS", "/no/such/program");
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(!bench.debug.deathReport().isEmpty());
    qputenv("RELAXSCOPE_RXS", kTool.toUtf8());
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY2(bench.debug.state() == RunState::Stopped,
             qPrintable(bench.debug.deathReport() + bench.window.statusText()));
  }
};

QTEST_MAIN(LiveExportsTest)
#include "tst_live_exports.moc"
