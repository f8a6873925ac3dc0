// The window over an engine that listens: a process of its own that this window did not start.
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>

#include "live_bench.h"

using namespace rx;
using namespace rx::views;

namespace {

const QString kToken = QStringLiteral("aTokenOfTheTest");

/// `rxs dap --listen` on any port.
class Listening {
 public:
  Listening() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("RXS_DAP_TOKEN", kToken);
    process_.setProcessEnvironment(environment);
    process_.setProcessChannelMode(QProcess::MergedChannels);
    process_.start(kTool, {"dap", "--listen", "0"});
    QByteArray said;
    while (port_.isEmpty() && process_.waitForReadyRead(kPatience)) {
      said += process_.readAll();
      const auto found = QRegularExpression("127\\.0\\.0\\.1:(\\d+)|port (\\d+)").match(QString::fromUtf8(said));
      port_ = found.captured(1) + found.captured(2);
    }
  }
  ~Listening() {
    process_.kill();
    process_.waitForFinished();
  }
  QString address() const { return "127.0.0.1:" + port_; }
  bool ready() const { return !port_.isEmpty(); }
  QProcess& process() { return process_; }
  bool ended() { return process_.state() == QProcess::NotRunning || process_.waitForFinished(kPatience); }

 private:
  QProcess process_;
  QString port_;
};

}  // namespace

class LiveAttachTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void runsThere() {
    Listening engine;
    QVERIFY(engine.ready());
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.attach", {engine.address(), kToken, "main", "seed=3"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.debug.frames().empty());
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(bench.debug.stop().step > 0);
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.debug.result());
    QVERIFY(!bench.debug.result()->values.empty());
    // Who goes leaves the engine to end by itself.
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(engine.ended());
  }

  /// Whoever runs again is served by the engine that is there, as often as that is.
  void runsAgainThere() {
    Listening engine;
    QVERIFY(engine.ready());
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.attach", {engine.address(), kToken, "main", "seed=3"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    for (int turn = 0; turn < 3; ++turn) {
      QVERIFY(bench.does("debug.stepOver"));
      QVERIFY(bench.debug.stop().step > 0);
      QVERIFY(bench.does("debug.restart"));
      QCOMPARE(bench.debug.state(), RunState::Stopped);
      QCOMPARE(bench.debug.stop().step, 0);
      QCOMPARE(engine.process().state(), QProcess::Running);
    }
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(engine.ended());
  }

  void theDialogAsks() {
    Listening engine;
    QVERIFY(engine.ready());
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.run("debug.attach", {}));
    QLineEdit* address = nullptr;
    for (QLineEdit* edit : bench.window.findChildren<QLineEdit*>("address")) address = edit;
    QVERIFY(address);
    QWidget* dialog = address->window();
    auto* attach = [&]() -> QPushButton* {
      for (QPushButton* button : dialog->findChildren<QPushButton*>())
        if (button->text() == "Attach") return button;
      return nullptr;
    }();
    QVERIFY(attach && !attach->isEnabled());
    address->setText(engine.address());
    dialog->findChild<QLineEdit*>("token")->setText(kToken);
    QCOMPARE(dialog->findChild<QComboBox*>("function")->currentText(), QString("main"));
    QVERIFY(attach->isEnabled());
    attach->click();
    QTRY_COMPARE_WITH_TIMEOUT(bench.debug.state(), RunState::Stopped, kPatience);
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.config().engine, engine.address());
  }

  void theWrongTokenIsRefused() {
    Listening engine;
    QVERIFY(engine.ready());
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(!bench.window.run("debug.attach", {engine.address()}));
    QVERIFY(bench.window.run("debug.attach", {engine.address(), "another"}));
    QTRY_COMPARE_WITH_TIMEOUT(bench.debug.state(), RunState::Died, kPatience);
    QVERIFY2(bench.debug.deathReport().contains("token"), qPrintable(bench.debug.deathReport()));
  }

  void nobodyListens() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.run("debug.attach", {"127.0.0.1:1", kToken}));
    QTRY_COMPARE_WITH_TIMEOUT(bench.debug.state(), RunState::Died, kPatience);
    QVERIFY2(bench.debug.deathReport().contains("127.0.0.1:1"), qPrintable(bench.debug.deathReport()));
  }
};

QTEST_MAIN(LiveAttachTest)
#include "tst_live_attach.moc"
