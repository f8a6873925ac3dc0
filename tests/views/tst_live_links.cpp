// Links that a second start of the program hands to the window that runs: where it shows them, and what it refuses.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QUrl>

#include "tab_bench.h"
#include "views/shell/single_instance.h"

using namespace rx;
using namespace rx::views;

namespace {

const QString kWindow = QStringLiteral(RX_BINARY_DIR "/bin/relaxscope");

}  // namespace

class LiveLinksTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }
  QString socket_;

  /// A window that answers links.
  struct Running {
    TabBench bench;
    LinkServer server;
    bool listens;
    explicit Running(const QString& socket) : listens(server.listen(socket)) {
      QObject::connect(&server, &LinkServer::linkArrived, &bench.tabs, &DocumentTabs::showLink);
    }
    MainWindow& window() { return bench.tabs.current(); }
    QString variable() { return window().desk().selection.place().variable; }
  };

  /// The exit code of a second start with these arguments in a folder, while the window goes on; -1 where it stays.
  int startAnother(const QStringList& arguments, const QString& in, QString* said = nullptr) {
    QProcess other;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("RELAXSCOPE_SOCKET", socket_);
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("XDG_CONFIG_HOME", path("elsewhere"));  // what it keeps for itself is another user's
    other.setProcessEnvironment(environment);
    other.setWorkingDirectory(in);
    other.start(kWindow, arguments, QIODevice::ReadOnly);
    const bool ended = QTest::qWaitFor([&] { return other.state() == QProcess::NotRunning; }, kPatience);
    if (said) *said = QString::fromUtf8(other.readAllStandardError());
    if (!ended) {
      other.kill();
      other.waitForFinished(kPatience);
      return -1;
    }
    return other.exitStatus() == QProcess::NormalExit ? other.exitCode() : -1;
  }

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    socket_ = path("link.socket");
  }

  /// Windows of two homes that have no folder of a desktop do not answer each other's links.
  void withoutADesktopEachHomeHasItsOwnSocket() {
    const QByteArray runtime = qgetenv("XDG_RUNTIME_DIR"), home = qgetenv("HOME");
    qunsetenv("XDG_RUNTIME_DIR");
    QStringList sockets;
    for (const char* name : {"one", "other", "one"}) {
      qputenv("HOME", path(name).toUtf8());
      sockets << linkSocket();
    }
    qputenv("XDG_RUNTIME_DIR", path("desktop").toUtf8());
    QDir().mkpath(path("desktop"));
    QFile::setPermissions(path("desktop"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QString desktop = linkSocket();
    const auto back = [](const char* name, const QByteArray& value) {
      value.isNull() ? qunsetenv(name) : qputenv(name, value);
    };
    back("XDG_RUNTIME_DIR", runtime);
    back("HOME", home);
    QVERIFY(sockets[0] != sockets[1]);
    QCOMPARE(sockets[0], sockets[2]);
    QVERIFY(desktop.startsWith(path("desktop")));
    LinkServer first, other;
    QVERIFY(first.listen(sockets[0]) && other.listen(sockets[1]));
  }

  /// A link opens its file in the window that runs, at its place; one to the same file goes to its tab, one to another
  /// file leaves what is open alone.
  void opensInTheRunningWindow() {
    Running running(socket_);
    QVERIFY(running.listens);
    const QString mlp = kSamples + "mlp";
    QCOMPARE(startAnother({linkOf({0, "main", 1, {}, -1}, mlp)}, kSamples), 0);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.window().desk().document.path(), mlp);
    QCOMPARE(running.window().desk().selection.place().binding, 1);
    const QString second = running.window().desk().document.stage(0)->function("main")->bindings[2].name;
    QVERIFY(running.bench.does("debug.start", {"main"}));
    QCOMPARE(startAnother({linkOf({0, "main", -1, {}, -1}, kSamples + "attention")}, kSamples), 0);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.bench.tabs.tabCount(), 2);
    QCOMPARE(running.window().desk().document.path(), kSamples + "attention");
    // The binding is found by its name, also where its number is an older text's.
    QCOMPARE(startAnother({linkOf({0, "main", 0, second, -1}, mlp)}, kSamples), 0);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.bench.tabs.tabCount(), 2);
    QCOMPARE(running.window().desk().document.path(), mlp);
    QCOMPARE(running.window().desk().selection.place().binding, 2);
    QCOMPARE(running.window().desk().debug.state(), RunState::Stopped);
    // A later stage is made for it, and keeps the name for the binding that came of it.
    QCOMPARE(startAnother({linkOf({2, "main", -1, {}, -1}, mlp)}, kSamples), 0);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.window().desk().selection.place().stage, 2);
    QVERIFY(running.window().desk().document.stage(2, false));
  }

  /// A file that is still being read is opened already: the last link says where to stand in it.
  void toAFileThatIsBeingOpened() {
    Running running(socket_);
    const QString mlp = kSamples + "mlp";
    running.bench.tabs.showLink(linkOf({0, "main", 1, {}, -1}, mlp));
    QVERIFY(running.window().desk().document.path().isEmpty());  // no event was handled since
    running.bench.tabs.showLink(linkOf({0, "main", -1, {}, -1}, kSamples + "attention"));
    QCOMPARE(running.bench.tabs.tabCount(), 2);
    running.bench.tabs.showLink(linkOf({0, "main", 2, {}, -1}, mlp));
    QCOMPARE(running.bench.tabs.tabCount(), 2);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.window().desk().document.path(), mlp);
    QCOMPARE(running.window().desk().selection.place().binding, 2);
    running.bench.tabs.nextTab(true);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.window().desk().document.path(), kSamples + "attention");
  }

  /// Of several links those that the window does not take are named; the others are shown.
  void someOfSeveral() {
    Running running(socket_);
    QVERIFY(running.listens);
    const QString tooLong = linkOf({0, QString(10000, 'f'), -1, {}, -1}, kSamples + "mlp");
    QString said;
    QCOMPARE(startAnother({linkOf({0, "main", 1, {}, -1}, kSamples + "mlp"), tooLong,
                           linkOf({0, "main", -1, {}, -1}, kSamples + "attention")},
                          kSamples, &said),
             1);
    QVERIFY2(said.contains(tooLong + ": the window that runs did not take"), qPrintable(said));
    QCOMPARE(said.count("did not take"), 1);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.bench.tabs.tabCount(), 2);
    QCOMPARE(running.window().desk().document.path(), kSamples + "attention");
  }

  /// The file of a link is named from the folder of who gives it, not from that of the window.
  void relativePaths() {
    Running running(socket_);
    QVERIFY(running.listens);
    QCOMPARE(startAnother({"relaxscope://open?file=mlp&stage=0&function=main"}, kSamples), 0);
    QVERIFY(running.bench.settle());
    QCOMPARE(running.window().desk().document.path(), QDir::cleanPath(kSamples + "mlp"));
  }

  /// What leads nowhere is said in the window, which stays as it is.
  void leadsNowhere_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<QString>("says");
    const QString mlp = kSamples + "mlp";
    QTest::newRow("no such file") << linkOf({}, "/no/such/module.py") << "does not exist";
    QTest::newRow("no such stage") << linkOf({99, "main", -1, {}, -1}, mlp) << "stage 99 is not there";
    QTest::newRow("no such function") << linkOf({0, "mian", -1, {}, -1}, mlp) << "no function mian in stage 0";
    QTest::newRow("no such binding") << linkOf({0, "main", 0, "nothing", -1}, mlp) << "no nothing in main";
  }
  void leadsNowhere() {
    QFETCH(QString, link);
    QFETCH(QString, says);
    Running running(socket_);
    QVERIFY(running.listens);
    QVERIFY(running.bench.does("file.open", {kSamples + "mlp"}));
    QCOMPARE(startAnother({link}, kSamples), 0);
    QVERIFY(QTest::qWaitFor([&] { return running.window().statusText().contains(says); }, kPatience));
    QCOMPARE(running.bench.tabs.tabCount(), 1);
    QCOMPARE(running.window().desk().document.path(), kSamples + "mlp");
    QCOMPARE(running.window().desk().selection.place().stage, 0);
    QVERIFY(running.window().desk().document.stage(0)->function(running.window().desk().selection.place().function));
  }

  /// A text that is no link is refused where it was typed; the window hears nothing of it.
  void brokenLinks() {
    Running running(socket_);
    QVERIFY(running.listens);
    for (const char* broken : {"relaxscope://close?stage=1", "relaxscope://open?stage=x", "relaxscope:"}) {
      QString said;
      QCOMPARE(startAnother({broken}, kSamples, &said), 2);
      QVERIFY2(said.contains("not a relaxscope:// link"), qPrintable(said));
    }
    QVERIFY(running.window().desk().document.path().isEmpty());
  }
};

QTEST_MAIN(LiveLinksTest)
#include "tst_live_links.moc"
