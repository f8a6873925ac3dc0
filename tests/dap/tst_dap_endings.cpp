// How a session ends: whatever runs, whoever goes first; and who gets in at the door of a socket.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/dap/server/descriptor.h"
#include "core/dap/server/gate.h"
#include "core/dap/server/listener.h"
#include "core/dap/server/outbox.h"
#include "engine_pair.h"

using namespace rx;
using namespace rx::dap;
using rx::test::EnginePair;

namespace {

constexpr const char* kEngine = RX_BINARY_DIR "/tests/test_engine";

std::string asked(int64_t seq, const char* command, Json arguments = {}) {
  return frame(toJson(Request{seq, command, std::move(arguments)}));
}

/// initialize, launch and configurationDone, numbered 1 to 3.
QByteArray started(const std::string& program) {
  return QByteArray::fromStdString(asked(1, "initialize") + asked(2, "launch", {{"program", program}}) +
                                   asked(3, "configurationDone"));
}

/// What an engine said, as the messages that it is.
class Listener {
 public:
  void feed(const QByteArray& bytes) {
    reader_.feed({bytes.constData(), static_cast<size_t>(bytes.size())});
    while (auto json = reader_.next()) messages.push_back(json->ok() ? **json : Json("broken"));
  }
  bool answered(int64_t seq) const {
    return std::any_of(messages.begin(), messages.end(),
                       [&](const Json& m) { return m.value("request_seq", int64_t{0}) == seq; });
  }
  int events(const char* name) const {
    return static_cast<int>(
        std::count_if(messages.begin(), messages.end(), [&](const Json& m) { return m.value("event", "") == name; }));
  }
  std::vector<Json> messages;

 private:
  FrameReader reader_;
};

/// A connection to an engine that listens, and the token that it printed.
class Caller {
 public:
  explicit Caller(const QString& allowed = {}) {
    engine.start(kEngine, {"--listen", "", allowed});
    while (said_.count('\n') < 2 && engine.waitForReadyRead(10000)) said_ += engine.readAll();
    const QList<QByteArray> lines = said_.split('\n');
    port_ = lines[0].mid(lines[0].lastIndexOf(':') + 1).toUShort();
    token = lines.value(1).mid(6).toStdString();
  }
  ~Caller() {
    engine.kill();
    engine.waitForFinished();
  }
  /// What the engine answers to bytes until it ends the connection or `wanted` is in it.
  std::string say(const std::string& bytes, const std::string& wanted = "\x01") {
    auto connected = connectTo(std::to_string(port_));
    if (!connected) return connected.diagnostics().front().message;
    const Descriptor socket(*connected);
    (void)writeAll(socket.number(), bytes);
    std::string got;
    char buffer[4096];
    timeval limit{5, 0};
    ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    for (ssize_t n; got.find(wanted) == std::string::npos && (n = ::read(socket.number(), buffer, sizeof buffer)) > 0;)
      got.append(buffer, static_cast<size_t>(n));
    return got;
  }
  QProcess engine;
  std::string token;

 private:
  QByteArray said_;
  uint16_t port_ = 0;
};

}  // namespace

class TestDapEndings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void endsWhateverRuns_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("command");
    for (const char* program : {"spin", "sleep"})
      for (const char* command : {"disconnect", "terminate"})
        QTest::addRow("%s, %s", program, command) << program << command;
  }
  void endsWhateverRuns() {
    QFETCH(QString, program);
    QFETCH(QString, command);
    QProcess engine;
    engine.start(kEngine, {});
    Listener listener;
    engine.write(started(program.toStdString()));
    QTRY_VERIFY((listener.feed(engine.readAllStandardOutput()), listener.answered(3)));
    QTest::qWait(100);
    engine.write(QByteArray::fromStdString(asked(4, qPrintable(command))));
    QTRY_VERIFY((listener.feed(engine.readAllStandardOutput()), listener.answered(4)));
    QTRY_COMPARE_WITH_TIMEOUT((listener.feed(engine.readAllStandardOutput()), listener.events("terminated")), 1, 30000);
    if (command == "terminate") {
      engine.write(QByteArray::fromStdString(asked(5, "disconnect")));
      QTRY_VERIFY((listener.feed(engine.readAllStandardOutput()), listener.answered(5)));
    }
    // It may have ended while its answer was waited for.
    QVERIFY(engine.state() == QProcess::NotRunning || engine.waitForFinished(30000));
    QCOMPARE(engine.exitCode(), 0);
    listener.feed(engine.readAllStandardOutput());
    QCOMPARE(listener.events("terminated"), 1);
  }

  /// What stands before the end of the input is answered, then a run is ended; a program that is over said so itself.
  void endOfInput_data() {
    QTest::addColumn<QString>("program");
    for (const char* program : {"small", "spin", "sleep"}) QTest::newRow(program) << program;
  }
  void endOfInput() {
    QFETCH(QString, program);
    QProcess engine;
    engine.start(kEngine, {});
    engine.write(started(program.toStdString()) + QByteArray::fromStdString(asked(4, "threads")));
    engine.closeWriteChannel();
    QVERIFY(engine.waitForFinished(30000));
    QCOMPARE(engine.exitCode(), 0);
    Listener listener;
    listener.feed(engine.readAllStandardOutput());
    for (int64_t seq : {1, 2, 3}) QVERIFY(listener.answered(seq));
    if (program == "sleep") return;  // it is in a kernel that does not come back
    QVERIFY(listener.answered(4));
    QCOMPARE(listener.events("terminated"), 1);
  }

  void clientIsGone() {
    QProcess both;
    both.start("sh", {"-c", "\"$0\" | true", kEngine});
    both.write(started("spin"));
    QVERIFY(both.waitForFinished(30000));
  }

  void tenThousandRequests() {
    EnginePair pair;
    pair.launch("small", {{"stopOnEntry", true}});
    pair.event("stopped");
    std::string bytes;
    size_t answers = 0;
    for (int i = 0; i < 10000; ++i)
      pair.client.request(i % 2 ? "stackTrace" : "threads", {{"threadId", 1}},
                          [&](Result<Json> a) { answers += a.ok(); });
    QVERIFY(pair.pump([&] { return answers == 10000; }));
  }

  void cancelledWhileQueued() {
    EnginePair pair;
    QVERIFY(pair.ask("initialize").ok());
    pair.client.request("launch", {{"program", "slow to load"}});
    std::string refused;
    const int64_t late = pair.client.request(
        "threads", {}, [&](Result<Json> a) { refused = a ? "answered" : a.diagnostics().front().rule; });
    QVERIFY(pair.ask("cancel", {{"requestId", late}}).ok());
    QCOMPARE(refused, std::string("dap.cancelled"));
    // Nothing to cancel is no error; a wrong number is.
    QVERIFY(pair.ask("cancel", {{"requestId", 9999}}).ok());
    QCOMPARE(pair.refusal("cancel", {{"requestId", "x"}}), std::string("dap.arguments"));
  }

  void slowReaderIsDropped() {
    int ends[2];
    QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
    Descriptor reader(ends[0]);
    const Descriptor writer(ends[1]);
    std::optional<Outbox> outbox;
    outbox.emplace(writer.number(), size_t{1} << 20);
    int pushed = 0;
    while (!outbox->gone() && pushed < 10000) {
      outbox->push(std::string(4096, 'x'));
      ++pushed;
    }
    QVERIFY(outbox->dropped());
    QVERIFY(pushed > 200 && pushed < 400);
    reader = Descriptor();
    outbox.reset();
    // One who reads gets all of it, a message above the limit too.
    QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
    const Descriptor other(ends[0]);
    const Descriptor to(ends[1]);
    Outbox box(to.number(), 1000);
    box.push(std::string(100000, 'y'));
    size_t got = 0;
    char buffer[65536];
    while (got < 100000) got += static_cast<size_t>(::read(other.number(), buffer, sizeof buffer));
    QVERIFY(box.flush(std::chrono::seconds(5)));
    QVERIFY(!box.gone());
  }

  void gate() {
    const std::string line = gateLine("abc");
    for (size_t portion = 1; portion < 20; ++portion) {
      Gate gate("abc");
      const std::string bytes = line + "rest";
      Gate::Verdict verdict = Gate::Verdict::Waiting;
      size_t at = 0;
      for (; at < bytes.size() && verdict == Gate::Verdict::Waiting; at += portion)
        verdict = gate.feed(std::string_view(bytes).substr(at, portion));
      QVERIFY(verdict == Gate::Verdict::Open);
      QCOMPARE(std::string(gate.rest()) + bytes.substr(std::min(at, bytes.size())), std::string("rest"));
    }
    for (const char* wrong : {"P", "POST / HTTP/1.1\r\n", "Content-Length: 2\r\n\r\n{}", "Rxs-Token: abd\r\n",
                              "Rxs-Token: abcd\r\n", "Rxs-Token: ab\r\n\r\n", "\r\n", "rxs"})
      QVERIFY2(Gate("abc").feed(wrong) == Gate::Verdict::Closed, wrong);
    QVERIFY(Gate("abc").feed("Rxs-Token: ab") == Gate::Verdict::Waiting);
    QVERIFY(randomToken().size() == 32 && randomToken() != randomToken());
  }

  void socketNeedsTheToken() {
    QTemporaryDir allowed;
    Caller caller(allowed.path());
    QCOMPARE(caller.token.size(), size_t(32));
    const std::string session = asked(1, "initialize");
    // A page in a browser: the protocol stands in the body of its request.
    QCOMPARE(caller.say("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n" + session), std::string());
    QCOMPARE(caller.say(session), std::string());
    QCOMPARE(caller.say(gateLine(std::string(32, '0')) + session), std::string());
    // The engine still waits, and whoever knows the token is served.
    const std::string trace = allowed.filePath("t").toStdString();
    const std::string got = caller.say(
        gateLine(caller.token) + session +
        asked(2, "launch", {{"program", "small"}, {"trace", "/tmp/rxs-not-allowed.trace"}}) +
        asked(3, "launch", {{"program", "small"}, {"trace", trace}, {"stopOnEntry", true}}) +
        asked(4, "configurationDone") +
        asked(5, "rxs/saveValue", {{"expression", "x"}, {"path", allowed.path().toStdString() + "/../x.npy"}}) +
        asked(6, "rxs/saveValue", {{"expression", "x"}, {"path", allowed.path().toStdString() + "/x.npy"}}) +
        asked(7, "disconnect"));
    Listener listener;
    listener.feed(QByteArray::fromStdString(got));
    std::map<int64_t, bool> granted;
    for (const Json& message : listener.messages)
      if (message["type"] == Json("response"))
        granted[message["request_seq"].get<int64_t>()] = message["success"].get<bool>();
    QCOMPARE(granted,
             (std::map<int64_t, bool>{{1, true}, {2, false}, {3, true}, {4, true}, {5, false}, {6, true}, {7, true}}));
    QVERIFY(QFileInfo::exists(allowed.filePath("x.npy")));
    QVERIFY(caller.engine.waitForFinished(30000));
  }

  /// Who says so leaves the engine to the next client, who needs the token as well.
  void oneClientAfterTheOther() {
    Caller caller;
    const std::string session = gateLine(caller.token) + asked(1, "initialize") +
                                asked(2, "launch", {{"program", "small"}, {"stopOnEntry", true}}) +
                                asked(3, "configurationDone");
    auto answers = [&](const std::string& bytes) {
      Listener listener;
      listener.feed(QByteArray::fromStdString(caller.say(bytes)));
      return std::count_if(listener.messages.begin(), listener.messages.end(),
                           [](const Json& m) { return m.value("success", false); });
    };
    QCOMPARE(answers(session + asked(4, "disconnect", {{"restart", true}})), 4);
    QCOMPARE(answers(session + asked(4, "disconnect", {{"terminateDebuggee", false}})), 4);
    QCOMPARE(caller.say(asked(1, "initialize")), std::string());
    QCOMPARE(caller.engine.state(), QProcess::Running);
    // What it runs when it is left is ended.
    const std::string spinning = gateLine(caller.token) + asked(1, "initialize") +
                                 asked(2, "launch", {{"program", "spin"}}) + asked(3, "configurationDone");
    QCOMPARE(answers(spinning + asked(4, "disconnect", {{"restart", true}})), 4);
    QCOMPARE(answers(session + asked(4, "disconnect", {{"terminateDebuggee", true}})), 4);
    QVERIFY(caller.engine.waitForFinished(30000));
    QCOMPARE(caller.engine.exitCode(), 0);
    // Of one that is gone without a word nothing is known.
    Caller other;
    QVERIFY(!other.say(gateLine(other.token) + asked(1, "initialize"), "\"success\"").empty());
    QVERIFY(other.engine.waitForFinished(30000));
  }

  void writePolicy() {
    QTemporaryDir folder;
    QTemporaryDir other;
    const std::string inside = folder.path().toStdString();
    QVERIFY(::symlink(other.path().toLocal8Bit(), qPrintable(folder.filePath("link"))) == 0);
    QVERIFY(::symlink("/nowhere/file", qPrintable(folder.filePath("dangling"))) == 0);
    const WritePolicy some{{{inside + "/"}}};
    QVERIFY(some.check(inside + "/a/b").ok());
    for (const std::string& path : {inside + "/../b", inside + "x", inside + "/link/b", inside + "/dangling",
                                    std::string("/tmp"), std::string(), std::string("relative")})
      QVERIFY2(!some.check(path), path.c_str());
    QVERIFY(WritePolicy{}.check("/anywhere").ok());
    QVERIFY(!WritePolicy{std::vector<std::string>()}.check(inside + "/a"));
  }
};

QTEST_GUILESS_MAIN(TestDapEndings)
#include "tst_dap_endings.moc"
