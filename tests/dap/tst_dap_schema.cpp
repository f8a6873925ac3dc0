// The schema walker finds what is wrong with a message and says where; nothing where nothing is.
#include <QtTest>

#include "core/dap/rx_requests.h"
#include "schema.h"

using rx::dap::Json;
using rx::test::Schema;

class TestDapSchema : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void messages_data() {
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("violation");
    auto row = [](const char* name, const char* message, const char* violation = "") {
      QTest::newRow(name) << QByteArray(message) << QByteArray(violation);
    };
    row("a response", R"({"seq":1,"type":"response","request_seq":1,"success":true,"command":"scopes","body":{"scopes":
      [{"name":"Bindings","variablesReference":1,"expensive":false}]}})");
    row("nested null", R"({"seq":1,"type":"response","request_seq":1,"success":true,"command":"scopes","body":{"scopes":
      [{"name":"Bindings","variablesReference":1,"expensive":false,"namedVariables":null}]}})",
        R"(scopes response, /body/scopes/0/namedVariables: null is no ["integer"])");
    row("missing in an item", R"({"seq":1,"type":"response","request_seq":1,"success":true,"command":"scopes","body":
      {"scopes":[{"name":"Bindings","expensive":false}]}})",
        "scopes response, /body/scopes/0: `variablesReference` is missing");
    row("no body", R"({"seq":1,"type":"response","request_seq":1,"success":true,"command":"scopes"})",
        "scopes response, : `body` is missing");
    row("a null that is allowed", R"({"seq":1,"type":"response","request_seq":1,"success":true,
      "command":"dataBreakpointInfo","body":{"dataId":null,"description":"no value"}})");
    row("a refusal", R"({"seq":1,"type":"response","request_seq":1,"success":false,"command":"scopes","message":"x",
      "body":{"error":{"id":1,"format":"text"}}})");
    row("a refusal without a body", R"({"seq":1,"type":"response","request_seq":1,"success":false,"command":"scopes"})",
        "scopes response, : `body` is missing");
    row("variables of a text", R"({"seq":1,"type":"response","request_seq":1,"success":false,"command":"scopes",
      "body":{"error":{"id":1,"format":"text","variables":{"a":2}}}})",
        R"(scopes response, /body/error/variables/a: 2 is no ["string"])");
    row("an event", R"({"seq":2,"type":"event","event":"stopped","body":{"reason":"step"}})");
    row("number 0", R"({"seq":0,"type":"event","event":"stopped","body":{"reason":"step"}})",
        "stopped event, /seq: 0 is too small");
    row("33 bits", R"({"seq":4294967296,"type":"event","event":"stopped","body":{"reason":"step"}})",
        "stopped event, /seq: 4294967296 has too many bits");
    row("none of the words", R"({"seq":1,"type":"response","request_seq":1,"success":true,"command":"exceptionInfo",
      "body":{"exceptionId":"x","breakMode":"sometimes"}})",
        R"(exceptionInfo response, /body/breakMode: "sometimes" is none of ["never","always","unhandled","userUnhandled"])");
    row("an event that there is not", R"({"seq":2,"type":"event","event":"nonsense"})",
        "nonsense event: the protocol has none");
    row("of ours", R"({"seq":2,"type":"event","event":"rxs/progress","body":{"steps":1}})");
    row("of ours, with a null", R"({"seq":2,"type":"event","event":"rxs/progress","body":{"rows":[{"a":null}]}})",
        "rxs/progress event, /body/rows/0/a: null");
  }
  void messages() {
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, violation);
    const auto found = Schema::published().violations(Json::parse(message.toStdString()));
    QCOMPARE(QByteArray::fromStdString(found.empty() ? "" : found.front()), violation);
  }

  /// Empty fields go at every depth, and null is as good as absent on the way in.
  void optionalFields() {
    using namespace rx::dap;
    const StackTraceBody frames{{{1, "main", Source{"a.py", {}, {}}, 1, 0, {}}}, 1};
    QCOMPARE(encode(frames).dump(),
             std::string(R"({"stackFrames":[{"column":0,"id":1,"line":1,"name":"main","source":{"name":"a.py"}}],)"
                         R"("totalFrames":1})"));
    WatchBody watch;
    watch.values.emplace_back();
    QVERIFY(encode(watch)["values"][0].contains("kind"));
    QVERIFY(!encode(watch)["values"][0].contains("number"));
    QCOMPARE(encode(DataBreakpointInfoBody{{}, "x", {}})["dataId"], Json());
    const auto read =
        decode<EvaluateArguments>(Json{{"expression", "x"}, {"frameId", nullptr}, {"context", nullptr}}, "x");
    QVERIFY(read.ok() && !read->frameId && !read->context);
    QCOMPARE(decode<StackTraceArguments>(Json{{"startFrame", nullptr}, {"levels", 2.0}}, "x")->levels, int64_t(2));
    for (const Json& wrong : {Json(2.5), Json(1e300), Json("2"), Json(true)})
      QVERIFY2(!decode<StackTraceArguments>(Json{{"levels", wrong}}, "x"), wrong.dump().c_str());
    QCOMPARE(decode<StackTraceArguments>(Json{{"levels", UINT64_MAX}}, "x")->levels, INT64_MAX);
  }
};

QTEST_GUILESS_MAIN(TestDapSchema)
#include "tst_dap_schema.moc"
