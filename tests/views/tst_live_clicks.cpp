// What no walk foresees: commands in any order, whether or not what they started has ended, stages, functions, places,
// sizes and faults between them: engines die and find little memory, files vanish, and disks are full. The window stays
// alive, and answers at the end as one that was just opened. RX_SEED chooses other orders, RX_STEPS how many.
#include <sys/resource.h>

#include <QDialog>
#include <QTemporaryDir>
#include <csignal>
#include <random>

#include "live_bench.h"
#include "views/shell/command.h"

using namespace rx;
using namespace rx::views;

namespace {

/// The commands but those that end the window or its document, write over a file, or wait for an answer.
QStringList harmless() {
  const QStringList kLeftOut{"file.quit",    "view.fullScreen", "tab.close", "tab.new",
                             "session.open", "file.writeFixes", "diff.file"};
  QStringList ids;
  for (const Command* row : commandTable()) ids << QString::fromLatin1(row->id);
  ids.removeIf([&](const QString& id) { return kLeftOut.contains(id); });
  return ids;
}

QString busyWith(LiveBench& bench) {
  QStringList parts{bench.window.statusText()};
  if (bench.document.busy()) parts << "the document";
  if (!bench.debug.idle()) parts << "the run";
  for (const QString& id : bench.window.panelIds())
    if (bench.window.panel(id)->isVisible() && bench.window.panel(id)->busy()) parts << id;
  return parts.join(" | ");
}

/// While one lives, no file of this process and of what it starts grows beyond some bytes, as on a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

class Clicker {
 public:
  Clicker(LiveBench& bench, unsigned seed) : bench_(bench), random_(seed) {}
  /// The module's file, which vanishes, returns, is cut and replaced, read again and closed now and then.
  void loseNowAndThen(const QString& file) { file_ = file, whole_ = contentOf(file); }
  void giveBack() {
    write(file_, whole_);
    disk_.reset();
  }

  /// The last few commands, for who looks into a failure.
  const QStringList& last() const { return last_; }

  void step(const QStringList& commands) {
    switch (upTo(8)) {
      case 0:
        bench_.window.run("select.binding", {anyBinding()});
        break;
      case 1:
        bench_.window.run("pass.goTo", {QString::number(upTo(18))});
        break;
      case 2:
        bench_.window.run("view.panel", {any(bench_.window.panelIds())});
        break;
      case 3:
        bench_.window.resize(900 + upTo(1000), 600 + upTo(500));
        break;
      case 4:
        bench_.window.run("debug.start", {"main", "seed=1", upTo(2) ? "stop=none" : "stop=entry"});
        break;
      default:
        last_ << any(commands);
        if (last_.size() > 30) last_.removeFirst();
        bench_.window.run(last_.last());
        break;
    }
    // Now and then the engine dies under it.
    if (upTo(40) == 0 && bench_.debug.engineId() > 0) ::kill(static_cast<pid_t>(bench_.debug.engineId()), SIGKILL);
    if (!file_.isEmpty() && upTo(6) == 0) fault();
    QTest::qWait(upTo(3) == 0 ? 30 : 0);
    for (QDialog* dialog : bench_.window.findChildren<QDialog*>()) {
      if (dialog->isVisible() && upTo(2) == 0) dialog->close();
    }
  }

 private:
  void fault() {
    switch (upTo(8)) {
      case 0:
        QFile::remove(file_);
        break;
      case 1:
        write(file_, whole_.left(upTo(static_cast<int>(whole_.size()))));
        break;
      case 2:
        disk_.reset();
        disk_.emplace(static_cast<rlim_t>(1) << upTo(18));
        break;
      case 3:
        bench_.window.run("file.reload");
        break;
      case 4:  // one after the other, before the first has ended
        for (int i = 0; i < 20; ++i) bench_.window.run("file.reload");
        break;
      case 5:  // another module in its place, while its own is stepped
        write(file_, contentOf(kSamples + "branch/module.py"));
        break;
      case 6:
        bench_.window.run("file.close");
        bench_.window.run("file.open", {file_});
        break;
      default:
        giveBack();
        break;
    }
  }
  int upTo(int most) { return static_cast<int>(random_() % static_cast<unsigned>(std::max(1, most))); }
  QString any(const QStringList& names) { return names.value(upTo(static_cast<int>(names.size()))); }
  QString anyBinding() {
    const StageIndexPtr stage = bench_.document.stage(bench_.selection.place().stage, false);
    const FunctionRow* main = stage ? stage->function("main") : nullptr;
    if (!main || main->bindings.empty()) return QStringLiteral("nothing");
    return main->bindings[static_cast<size_t>(upTo(static_cast<int>(main->bindings.size())))].name;
  }

  LiveBench& bench_;
  std::mt19937 random_;
  QStringList last_;
  QString file_;  // empty where no file is to be lost
  QByteArray whole_;
  std::optional<FullDisk> disk_;
};

}  // namespace

class LiveClicksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void anyOrder_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"attention_fp16", "branch", "dynamic", "tree_lstm"}) QTest::newRow(sample) << sample;
  }
  void anyOrder() {
    QFETCH(QString, sample);
    LiveBench bench;
    QVERIFY(bench.open(sample));
    Clicker clicker(bench, seed());
    click(bench, clicker);
  }

  /// The same while the file vanishes, is cut and returns, nothing can be written, and engines find little memory.
  void faults_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"mlp", "decoder"}) QTest::newRow(sample) << sample;
  }
  void faults() {
    QFETCH(QString, sample);
    QTemporaryDir folder;
    const QString file = folder.filePath("module.py"), program = folder.filePath("rxs");
    QVERIFY(write(file, contentOf(kSamples + sample + "/module.py")));
    QVERIFY(write(program, "#!/bin/sh\nulimit -v $((300000 + $$ % 8 * 400000))\nexec " + kTool.toUtf8() + " \"$@\"\n"));
    QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    Clicker clicker(bench, seed());
    clicker.loseNowAndThen(file);
    {
      qputenv("RELAXSCOPE_RXS", program.toUtf8());
      const auto back = qScopeGuard([] { useBuiltProgram(); });
      click(bench, clicker, &Clicker::giveBack);
    }
  }

 private:
  static unsigned seed() {
    return qEnvironmentVariableIsSet("RX_SEED") ? static_cast<unsigned>(qEnvironmentVariableIntValue("RX_SEED")) : 1;
  }

  /// Clicks, then does what a window does that was just opened; `before` the latter.
  static void click(LiveBench& bench, Clicker& clicker, void (Clicker::*before)() = nullptr) {
    const int steps = qEnvironmentVariableIsSet("RX_STEPS") ? qEnvironmentVariableIntValue("RX_STEPS") : 120;
    const QStringList commands = harmless();
    for (int i = 0; i < steps; ++i) clicker.step(commands);
    qInfo("last: %s", qPrintable(clicker.last().join(", ")));
    for (QDialog* dialog : bench.window.findChildren<QDialog*>()) dialog->close();
    bench.window.run("debug.stop");
    QVERIFY2(bench.settle(), qPrintable(busyWith(bench)));
    if (before) (clicker.*before)();
    useBuiltProgram();
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"default"}));  // which it may have been opened with before
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY2(bench.window.dump("ir").contains("R.matmul"), qPrintable(bench.window.dump("ir").left(500)));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY2(bench.window.statusText().contains("equals expected.npz"), qPrintable(bench.window.statusText()));
  }
};

QTEST_MAIN(LiveClicksTest)
#include "tst_live_clicks.moc"
