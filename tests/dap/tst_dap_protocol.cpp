#include <QtTest>

#include "core/dap/client.h"

using namespace rx;
using namespace rx::dap;

namespace {

/// What a reader makes of bytes: bodies as text, failures as their rule.
QStringList read(FrameReader& reader, std::string_view bytes) {
  reader.feed(bytes);
  QStringList out;
  while (auto json = reader.next())
    out << QString::fromStdString(*json ? dumpJson(**json) : "!" + json->diagnostics().front().rule);
  return out;
}

std::string framed(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

class TestDapProtocol : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void framesInAnyPortions() {
    std::string bytes = framed("{\"a\":1}") + "X-Other: 1\r\ncontent-length:2\r\n\r\n[]" + framed("\"\xc3\xa9\"");
    QStringList expected{"{\"a\":1}", "[]", QStringLiteral("\"é\"")};
    for (size_t portion = 1; portion <= bytes.size(); ++portion) {
      FrameReader reader;
      QStringList got;
      for (size_t at = 0; at < bytes.size(); at += portion)
        got += read(reader, std::string_view(bytes).substr(at, portion));
      QCOMPARE(got, expected);
    }
  }

  void wrongFrames_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("rule");
    QTest::newRow("no number") << QByteArray("Content-Length: x\r\n\r\n") << "!dap.header";
    QTest::newRow("negative") << QByteArray("Content-Length: -1\r\n\r\n") << "!dap.header";
    QTest::newRow("beyond 64 bits") << QByteArray("Content-Length: 99999999999999999999999\r\n\r\n") << "!dap.header";
    QTest::newRow("no field") << QByteArray("hello\r\n\r\n") << "!dap.header";
    QTest::newRow("twice") << QByteArray("Content-Length: 1\r\nContent-Length: 2\r\n\r\n") << "!dap.header";
    QTest::newRow("never ends") << QByteArray(5000, 'x') << "!dap.header";
    QTest::newRow("not JSON") << QByteArray("Content-Length: 3\r\n\r\n{a}") << "!dap.json";
    QTest::newRow("not UTF-8") << QByteArray("Content-Length: 3\r\n\r\n\"\xff\"") << "!dap.json";
    QTest::newRow("empty") << QByteArray("Content-Length: 0\r\n\r\n") << "!dap.json";
    QTest::newRow("a zero byte and more") << QByteArray("Content-Length: 4\r\n\r\n{}\0x", 25) << "!dap.json";
    QTest::newRow("deep") << QByteArray::fromStdString(framed(std::string(1000, '[') + std::string(1000, ']')))
                          << "!dap.too-deep";
    QTest::newRow("large") << QByteArray("Content-Length: 67108865\r\n\r\n") + QByteArray(67108865, ' ')
                           << "!dap.too-large";
  }
  void wrongFrames() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, rule);
    FrameReader reader;
    QStringList got = read(reader, std::string_view(bytes.constData(), static_cast<size_t>(bytes.size())));
    got += read(reader, framed("7"));
    QVERIFY(got.contains(rule));
    // Reading goes on behind the damage.
    QCOMPARE(got.last(), "7");
  }

  void messagesRoundTrip() {
    for (const Message& message :
         {Message(Request{3, "next", {{"threadId", 1}}}), Message(Response{4, 3, false, "next", "refused", {}}),
          Message(Event{5, "stopped", {{"reason", "step"}}})}) {
      Result<Message> again = messageFromJson(toJson(message));
      QVERIFY(again.ok());
      QCOMPARE(toJson(*again), toJson(message));
    }
    for (const char* text :
         {"1", "{}", R"({"seq":1})", R"({"seq":1,"type":"request"})",
          R"({"seq":1,"type":"request","command":"x","arguments":3})", R"({"seq":1,"type":"response","command":"x"})",
          R"({"seq":1,"type":"event"})", R"({"seq":1.5,"type":"event","event":"x"})", R"({"seq":1,"type":"other"})"}) {
      Result<Message> message = messageFromJson(Json::parse(text));
      QVERIFY2(!message, text);
      QCOMPARE(message.diagnostics().front().rule, std::string("dap.malformed"));
    }
  }

  void typedBodies() {
    const StepArguments step{1, {}, {}};
    QCOMPARE(dumpJson(encode(step)), std::string("{\"threadId\":1}"));
    auto back = decode<SliceArguments>(Json::parse(R"({"reference":7,"begin":[1,2],"expression":"lv"})"), "rxs/slice");
    QVERIFY(back.ok());
    QCOMPARE(back->begin, (std::vector<int64_t>{1, 2}));
    QCOMPARE(*back->expression, std::string("lv"));
    auto wrong = decode<SliceArguments>(Json::parse(R"({"reference":"x"})"), "rxs/slice");
    QVERIFY(!wrong);
    QCOMPARE(wrong.diagnostics().front().rule, std::string("dap.arguments"));
    QVERIFY(!decode<SliceArguments>(Json::parse("[1]"), "rxs/slice"));
    for (double number : {0.5, double(INFINITY), -double(INFINITY)}) QCOMPARE(numberFrom(jsonNumber(number)), number);
    QVERIFY(std::isnan(numberFrom(jsonNumber(std::nan("")))));
  }

  void clientPairsAnswers() {
    std::string sent;
    Client client([&](std::string bytes) { sent += bytes; });
    QStringList happened;
    client.onEvent([&](const Event& e) { happened << "event " + QString::fromStdString(e.event); });
    client.onProblem([&](const std::vector<Diagnostic>& d) { happened << QString::fromStdString(d.front().rule); });
    client.call<Scopes>({5}, [&](Result<ScopesBody> body) {
      happened << QString("scopes %1").arg(body.ok() ? int(body->scopes.size()) : -1);
    });
    client.request("next", {}, [&](Result<Json> body) {
      happened << QString::fromStdString(body ? "next" : body.diagnostics().front().message);
    });
    client.request("pause", {}, [&](Result<Json> body) {
      happened << QString::fromStdString(body ? "pause" : body.diagnostics().front().rule);
    });
    QVERIFY(sent.find(R"("frameId":5)") != std::string::npos);
    std::vector<Diagnostic> why{errorAt({}, "vm.not-running", "nothing runs")};
    client.feed(frame(toJson(Response{1, 2, false, "next", "failed", errorBody(why)})) +
                frame(toJson(Event{2, "stopped", {}})) + frame(toJson(Response{3, 99, true, "x", "", {}})) +
                frame(toJson(Response{4, 1, true, "scopes", "", {{"scopes", Json::array()}}})) + framed("{}"));
    QCOMPARE(client.pending(), size_t(1));
    client.closed("signal 9");
    client.request("late", {}, [&](Result<Json> body) {
      happened << QString::fromStdString(body ? "late" : body.diagnostics().front().message);
    });
    QCOMPARE(happened, (QStringList{"nothing runs", "event stopped", "dap.unexpected", "scopes 0", "dap.malformed",
                                    "dap.closed", "signal 9"}));
  }
};

QTEST_GUILESS_MAIN(TestDapProtocol)
#include "tst_dap_protocol.moc"
