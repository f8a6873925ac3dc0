// Values that a client changes: setVariable, setExpression, writeMemory; what the rest of the run, its past, a
// recording of it and the places for text are then.
#include <QTemporaryDir>
#include <QtTest>

#include "engine_pair.h"

using namespace rx;
using namespace rx::dap;
using rx::test::EnginePair;

namespace {

QByteArray bytesOf(const std::string& text) { return QByteArray::fromStdString(text); }

QByteArray refusalOf(const Result<Json>& answer) { return bytesOf("!" + answer.diagnostics().front().rule); }

/// What an expression is now, or the rule of its refusal.
QByteArray value(EnginePair& pair, const std::string& expression) {
  auto answer = pair.ask("evaluate", {{"expression", expression}});
  return answer ? bytesOf((*answer)["result"].get<std::string>()) : refusalOf(answer);
}

/// What a place is after it was given a value.
QByteArray set(EnginePair& pair, const std::string& expression, const std::string& text) {
  auto answer = pair.ask("setExpression", {{"expression", expression}, {"value", text}});
  return answer ? bytesOf((*answer)["value"].get<std::string>()) : refusalOf(answer);
}

void step(EnginePair& pair, const char* command, int times = 1) {
  for (int i = 0; i < times; ++i) {
    QVERIFY(pair.ask(command, {{"threadId", 1}, {"granularity", "instruction"}}).ok());
    const Json stop = pair.event("stopped");
    QVERIFY2(stop["reason"] == Json("step"), stop.dump().c_str());
  }
}

void start(EnginePair& pair, const char* program, Json more = Json::object()) {
  more["stopOnEntry"] = more["stopOnEnd"] = true;
  pair.launch(program, more);
  pair.event("stopped");
}

void runTo(EnginePair& pair, const char* variable) {
  QVERIFY(pair.ask("rxs/runTo", {{"function", "main"}, {"variable", variable}}).ok());
  pair.event("stopped");
}

/// At the call of `over` in main of `small`, whose input is h.
void atOver(EnginePair& pair) {
  runTo(pair, "lv1");
  const Json position = *pair.ask("rxs/position");
  QVERIFY2(position["text"].get<std::string>().find("over") != std::string::npos, position.dump().c_str());
}

/// The reference of a scope of the frame.
Json scope(EnginePair& pair, const char* name) {
  auto scopes = pair.ask("scopes", {{"frameId", 1}});
  for (const Json& row : (*scopes)["scopes"])
    if (row["name"] == Json(name)) return row["variablesReference"];
  return 0;
}

QByteArray setVariable(EnginePair& pair, const Json& reference, const char* name, const char* text) {
  auto answer = pair.ask("setVariable", {{"variablesReference", reference}, {"name", name}, {"value", text}});
  return answer ? bytesOf((*answer)["value"].get<std::string>()) : refusalOf(answer);
}

/// The reference of the value of an expression.
Json reference(EnginePair& pair, const char* expression) {
  return (*pair.ask("evaluate", {{"expression", expression}}))["variablesReference"];
}

/// Whether there is such an event that nobody took, once all that was asked is answered.
bool tellsOfMemory(EnginePair& pair) {
  (void)pair.ask("threads");
  return std::ranges::any_of(pair.events, [](const dap::Event& event) { return event.event == "memory"; });
}

}  // namespace

class TestDapAssign : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void presentAndPast() {
    EnginePair pair;
    start(pair, "small");
    atOver(pair);
    QCOMPARE(value(pair, "h[1]"), QByteArray("12"));
    QCOMPARE(set(pair, "h[1]", "-1.5"), QByteArray("-1.5"));
    QCOMPARE(value(pair, "h[1]"), QByteArray("-1.5"));
    QCOMPARE(value(pair, "%4[1]"), QByteArray("-1.5"));
    QCOMPARE(value(pair, "h.min"), QByteArray("-1.5"));
    QCOMPARE(set(pair, "h[1]", "h[0] / 2"), QByteArray("2"));
    QCOMPARE(value(pair, "h.max"), QByteArray("4"));
    step(pair, "stepBack");
    QCOMPARE(value(pair, "h[1]"), QByteArray("12"));
    QCOMPARE(value(pair, "h.max"), QByteArray("12"));
    QCOMPARE(set(pair, "h[1]", "2"), QByteArray("!debug.past"));
    step(pair, "next");
    QCOMPARE(value(pair, "h[1]"), QByteArray("2"));
    step(pair, "next");
    QCOMPARE(value(pair, "h[1]"), QByteArray("2"));
    // In the order of the states, with and without what came before.
    const Json values = *pair.ask("rxs/values", {{"activation", 0}, {"since", 0}});
    int64_t last = 0;
    std::vector<double> least;
    for (const Json& row : values["bindings"]) {
      QVERIFY(row["state"].get<int64_t>() >= last);
      last = row["state"].get<int64_t>();
      if (row["variable"] == Json("h")) least.push_back(row["value"]["max"].get<double>());
    }
    QCOMPARE(least, (std::vector<double>{12, 4}));
  }

  void whatFollowsUsesIt() {
    EnginePair pair;
    start(pair, "small");
    runTo(pair, "lv2");
    const Json watch = *pair.ask("dataBreakpointInfo", {{"name", "lv1"}});
    QVERIFY(pair.ask("setDataBreakpoints", {{"breakpoints", {{{"dataId", watch["dataId"]}}}}}).ok());
    QCOMPARE(set(pair, "lv1", "[1, -2]"), QByteArray("Tensor((2,), float32)"));
    QVERIFY(pair.ask("continue").ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("end"));
    const Json result = *pair.ask("rxs/result");
    QCOMPARE((*pair.ask("rxs/slice", {{"reference", result["value"]["reference"]}}))["values"], Json({2.0, -4.0}));
    QCOMPARE(set(pair, "lv1", "1"), QByteArray("!debug.ended"));
  }

  void dataBreakpointsSeeIt() {
    EnginePair pair;
    start(pair, "small");
    runTo(pair, "h");
    // The run's last kernel writes to the memory of lv; what is compared with is what the user wrote there.
    const Json watch = *pair.ask("dataBreakpointInfo", {{"name", "lv"}});
    QCOMPARE(set(pair, "lv[0]", "40"), QByteArray("40"));
    Json row = {{"dataId", watch["dataId"]}, {"condition", "%3[0] > 30"}};
    QVERIFY(pair.ask("setDataBreakpoints", {{"breakpoints", {row}}}).ok());
    runTo(pair, "lv2");
    QCOMPARE(value(pair, "lv[0]"), QByteArray("40"));
    QCOMPARE(value(pair, "h[0]"), QByteArray("80"));
    QVERIFY(pair.ask("continue").ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("data breakpoint"));
  }

  void kindsOfValues_data() {
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* place, const char* text, const char* expected) {
      QTest::newRow(qPrintable(QString("%1 = %2").arg(place, text))) << place << text << expected;
    };
    row("i", "7", "7");
    row("i", "-9223372036854775808", "-9223372036854775808");
    row("i", "9223372036854775808", "!debug.range");
    row("i", "1.5", "!debug.range");
    row("i", "[1]", "!debug.shape");
    row("truth", "False", "0");
    row("truth", "2", "!debug.range");
    row("real", "1e300", "1e+300");
    row("real", "-inf", "-inf");
    row("words", "\"it's\"", "\"it's\"");
    row("words", " 'a\\tb' ", "\"a\tb\"");
    row("words", "'\\x41\\\\'", "\"A\\\"");
    row("words", "''", "\"\"");
    row("words", "1", "!debug.literal");
    row("words", "\"", "!debug.literal");
    row("words", "\"a' + b\"c\"", "!debug.literal");
    row("words", "'\\q'", "!debug.literal");
    row("words", "'\\x4'", "!debug.literal");
    row("words", "'\\xff'", "!debug.literal");
    row("words[0]", "'a'", "!debug.index");
    row("type", "int8", "int8");
    row("type", "\"float16\"", "float16");
    row("type", "float17", "!debug.literal");
    row("type", "", "!debug.literal");
    row("s", "[4, 5]", "!debug.shape");
    row("s", "[4]", "shape(4,)");
    row("s", "4", "!debug.shape");
    row("s[0]", "6", "6");
    row("s[0]", "-6", "!debug.range");
    row("s[1]", "6", "!debug.index");
    row("t[0]", "8", "8");
    row("t[1][1]", "0.25", "0.25");
    row("t", "1", "!debug.type");
    row("t[2]", "1", "!debug.index");
    row("x", "i", "Tensor((2,), float32)");
    row("x[-1]", "nan", "nan");
    row("x[i - 5]", "i + 0.5", "5.5");
    row("x[0]", "1e39", "!debug.range");
    row("x[0]", "\"one\"", "!debug.literal");
    row("x[0]", "y2", "!debug.unknown-name");
    row("x[0]", "", "!debug.literal");
    row("x[0, 0]", "1", "!debug.index");
    row("x[0][0]", "1", "!debug.index");
    row("x[0.5]", "1", "!debug.index");
    row("x[2]", "1", "!debug.index");
    row("view[1, 0]", "-3", "-3");
    row("view", "[[1], [2]]", "Tensor((2, 1), float32)");
    row("view", "[1, 2]", "!debug.shape");
    row("view", "[[1], 2]", "!debug.literal");
    row("view", "[[1], [2]", "!debug.literal");
    row("view", "[[], 2]", "!debug.literal");
    row("bytes[1, 2]", "255", "255");
    row("bytes[1, 2]", "300", "!debug.range");
    row("bytes[1, 2]", "-1", "!debug.range");
    row("bytes", "[[1, 2, 3], [4, 5, 6]]", "Tensor((2, 3), uint8)");
    row("bytes", "[[1, 2, 3], [4, 5, 256]]", "!debug.range");
    row("c", "3", "!debug.constant");
    row("x + 1", "3", "!debug.place");
    row("x.shape", "3", "!debug.place");
    row("nobody", "3", "!debug.unknown-name");
    row("%2", "3", "3");
    row("%99", "3", "!debug.unknown-name");
  }
  void kindsOfValues() {
    QFETCH(QString, place);
    QFETCH(QString, text);
    QFETCH(QString, expected);
    EnginePair pair;
    start(pair, "kinds");
    step(pair, "next", 13);
    const QByteArray before = value(pair, place.toStdString());
    QCOMPARE(QString::fromUtf8(set(pair, place.toStdString(), text.toStdString())), expected);
    const QByteArray now = value(pair, place.toStdString());
    // A string by itself is shown as it is, as a value among others with its quotation marks.
    const QString plain = expected.startsWith('"') ? expected.mid(1, expected.size() - 2) : expected;
    QCOMPARE(QString::fromUtf8(now), expected.startsWith('!') ? QString::fromUtf8(before) : plain);
  }

  void refusalsSayBothSides() {
    EnginePair pair;
    start(pair, "kinds");
    step(pair, "next", 13);
    const auto said = [&](const char* place, const char* text) {
      return bytesOf(pair.ask("setExpression", {{"expression", place}, {"value", text}}).diagnostics().front().message);
    };
    QCOMPARE(said("bytes[0, 0]", "300"),
             QByteArray("300 does not fit in uint8, which holds whole numbers from 0 to 255"));
    QCOMPARE(said("x", "[1, 2, 3]"), QByteArray("x has the shape (2,), the list (3,)"));
  }

  void viewsAndMappedMemory() {
    EnginePair pair;
    start(pair, "kinds");
    step(pair, "next", 13);
    // x lies in memory that can not be written: it gets its own, and the view of it follows.
    QCOMPARE(set(pair, "x[1]", "20"), QByteArray("20"));
    QCOMPARE(value(pair, "view[1, 0]"), QByteArray("20"));
    QCOMPARE(value(pair, "t[1][1]"), QByteArray("20"));
    QCOMPARE(rx::test::kMapped[1], 3.0f);
    step(pair, "next");
    QCOMPARE(value(pair, "y[1]"), QByteArray("40"));
    QCOMPARE(value(pair, "y[0]"), QByteArray("2"));
  }

  void variablesOfScopes() {
    EnginePair pair;
    start(pair, "small");
    QCOMPARE(setVariable(pair, scope(pair, "Arguments"), "x", "[5, 6]"), QByteArray("Tensor((2,), float32)"));
    QCOMPARE(setVariable(pair, scope(pair, "Arguments"), "y", "5"), QByteArray("!dap.arguments"));
    // Before the check of x has stored n, the heap has memory already.
    step(pair, "next");
    QCOMPARE(setVariable(pair, scope(pair, "Shape heap"), "n", "17"), QByteArray("17"));
    QCOMPARE(value(pair, "n"), QByteArray("17"));
    QCOMPARE(setVariable(pair, scope(pair, "Shape heap"), "m", "17"), QByteArray("!dap.arguments"));
    atOver(pair);
    QCOMPARE(value(pair, "h[0]"), QByteArray("20"));
    const Json h = reference(pair, "h");
    QCOMPARE(setVariable(pair, h, "[0]", "3"), QByteArray("3"));
    QCOMPARE(setVariable(pair, h, "[2]", "3"), QByteArray("!debug.index"));
    QCOMPARE(setVariable(pair, h, "first", "3"), QByteArray("!debug.index"));
    QCOMPARE(setVariable(pair, 12345, "[0]", "3"), QByteArray("!dap.reference"));
    // The numbers of a value that was changed are what is asked for again by its reference.
    const Json parts = *pair.ask("variables", {{"variablesReference", h}});
    QCOMPARE(parts["variables"][0]["value"], Json("3"));
    QCOMPARE(setVariable(pair, scope(pair, "Registers"), "%4", "1"), QByteArray("Tensor((2,), float32)"));
    QCOMPARE(setVariable(pair, scope(pair, "Bindings"), "h", "4"), QByteArray("Tensor((2,), float32)"));
    // lv's last use was the call of helper.
    QCOMPARE(setVariable(pair, scope(pair, "Bindings"), "lv", "4"), QByteArray("!debug.gone"));
  }

  void bytesOfMemory() {
    EnginePair pair;
    start(pair, "kinds");
    step(pair, "next", 13);
    const Json memory = (*pair.ask("evaluate", {{"expression", "x"}}))["memoryReference"];
    const auto write = [&](Json reference, int64_t offset, const QByteArray& bytes, bool partial = false) {
      Json arguments = {{"memoryReference", std::move(reference)}, {"offset", offset}, {"allowPartial", partial}};
      arguments["data"] = bytes.toBase64().toStdString();
      auto answer = pair.ask("writeMemory", arguments);
      return answer ? QByteArray::number(qint64((*answer)["bytesWritten"].get<int64_t>())) : refusalOf(answer);
    };
    const float numbers[2] = {8, 16};
    const QByteArray both(reinterpret_cast<const char*>(numbers), sizeof numbers);
    QCOMPARE(write(memory, 0, both), QByteArray("8"));
    QCOMPARE(value(pair, "x[1]"), QByteArray("16"));
    QCOMPARE(write(memory, 4, both), QByteArray("!debug.range"));
    QCOMPARE(write(memory, 4, both, true), QByteArray("4"));
    QCOMPARE(value(pair, "x[1]"), QByteArray("8"));
    QCOMPARE(write(memory, -1, both), QByteArray("!debug.range"));
    QCOMPARE(write("memory:77", 0, both), QByteArray("!dap.reference"));
    auto wrong = pair.ask("writeMemory", {{"memoryReference", memory}, {"data", "%%%"}});
    QCOMPARE(refusalOf(wrong), QByteArray("!dap.arguments"));
    auto read = pair.ask("readMemory", {{"memoryReference", memory}, {"count", 8}});
    const QByteArray now = QByteArray::fromBase64(QByteArray::fromStdString((*read)["data"].get<std::string>()));
    QCOMPARE(now, both.left(4) + both.left(4));
  }

  void clientsAreTold() {
    EnginePair pair;
    QVERIFY(pair.ask("initialize", {{"adapterID", "rxs"}, {"supportsInvalidatedEvent", true}}).ok());
    QVERIFY(pair.ask("launch", {{"program", "small"}, {"stopOnEntry", true}}).ok());
    QVERIFY(pair.ask("configurationDone").ok());
    pair.event("stopped");
    QCOMPARE(set(pair, "x[0]", "2"), QByteArray("2"));
    QCOMPARE(pair.event("invalidated")["areas"], Json({"variables"}));
    // One who knows no such event gets none.
    QCOMPARE(tellsOfMemory(pair), false);
  }

  /// Who shows bytes hears which of them were written, under every name that it has for them.
  void memoryIsToldOf() {
    EnginePair pair;
    QVERIFY(pair.ask("initialize", {{"adapterID", "rxs"}, {"supportsMemoryEvent", true}}).ok());
    QVERIFY(pair.ask("launch", {{"program", "small"}, {"stopOnEntry", true}}).ok());
    QVERIFY(pair.ask("configurationDone").ok());
    pair.event("stopped");
    const Json memory = (*pair.ask("evaluate", {{"expression", "x"}}))["memoryReference"];
    QCOMPARE(set(pair, "x[1]", "2"), QByteArray("2"));
    QCOMPARE(pair.event("memory"), Json({{"memoryReference", memory}, {"offset", 4}, {"count", 4}}));
    QVERIFY(pair.ask("writeMemory", {{"memoryReference", memory}, {"offset", 2}, {"data", "AAAA"}}).ok());
    const Json written = pair.event("memory");
    QCOMPARE(written["offset"], Json(2));
    QCOMPARE(written["count"], Json(3));
    // What is refused writes nothing.
    QVERIFY(!pair.ask("writeMemory", {{"memoryReference", memory}, {"offset", 99}, {"data", "AAAA"}}).ok());
    QCOMPARE(tellsOfMemory(pair), false);
  }

  /// A value of the past is changed: the program runs again as far as there, with what was changed by hand before, and
  /// goes on from the new value; what can not be read changes nothing.
  void ofThePast() {
    EnginePair pair;
    start(pair, "small");
    QCOMPARE(set(pair, "x[0]", "5"), QByteArray("5"));
    atOver(pair);
    const Json there = *pair.ask("rxs/position");
    const int64_t at = there["step"];
    QVERIFY(pair.ask("continue").ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("end"));
    QVERIFY(pair.ask("rxs/goto", {{"step", at}}).ok());
    pair.event("stopped");
    QCOMPARE(set(pair, "h[1]", "100"), QByteArray("!debug.ended"));
    for (const char* bad : {"[[", "nothing + 1"})
      QVERIFY(!pair.ask("rxs/changePast", {{"name", "h[1]"}, {"value", bad}}).ok());
    QVERIFY(!pair.ask("rxs/changePast", {{"name", "nobody"}, {"value", "1"}}).ok());
    QCOMPARE(value(pair, "h[1]"), QByteArray("12"));
    QVERIFY(pair.ask("rxs/changePast", {{"name", "h[1]"}, {"value", "100"}}).ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("goto"));
    const Json now = *pair.ask("rxs/position");
    QCOMPARE(now["step"], there["step"]);
    QCOMPARE(now["recorded"], there["step"]);
    QCOMPARE(value(pair, "x[0]"), QByteArray("5"));
    QCOMPARE(value(pair, "h[0]"), QByteArray("20"));
    QCOMPARE(value(pair, "h[1]"), QByteArray("100"));
    // Again, from a reference and what was changed so; then the run goes on from that.
    QVERIFY(pair.ask("continue").ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("end"));
    QVERIFY(pair.ask("rxs/goto", {{"step", at}}).ok());
    pair.event("stopped");
    QVERIFY(pair.ask("rxs/changePast", {{"variablesReference", reference(pair, "h")}, {"name", "[0]"}, {"value", "7"}})
                .ok());
    pair.event("stopped");
    QCOMPARE(value(pair, "h[0]"), QByteArray("7"));
    QCOMPARE(value(pair, "h[1]"), QByteArray("100"));
    step(pair, "stepBack");
    QCOMPARE(value(pair, "h[1]"), QByteArray("12"));
  }

  void recordingsHaveItAndStay() {
    QTemporaryDir folder;
    const std::string trace = folder.filePath("t.rxtrace").toStdString();
    {
      EnginePair pair;
      start(pair, "small", {{"trace", trace}});
      QCOMPARE(set(pair, "x[0]", "5"), QByteArray("5"));
      atOver(pair);
      QCOMPARE(set(pair, "h[1]", "100"), QByteArray("100"));
      QVERIFY(pair.ask("continue").ok());
      QCOMPARE(pair.event("stopped")["reason"], Json("end"));
    }
    EnginePair pair;
    QVERIFY(pair.ask("initialize").ok());
    QVERIFY(pair.ask("rxs/openTrace", {{"path", trace}}).ok());
    QVERIFY(pair.ask("rxs/goto", {{"step", 0}}).ok());
    pair.event("stopped");
    QCOMPARE(value(pair, "x[0]"), QByteArray("5"));
    QCOMPARE(set(pair, "x[0]", "2"), QByteArray("!debug.recorded"));
    atOver(pair);
    QCOMPARE(value(pair, "h[0]"), QByteArray("20"));
    QCOMPARE(value(pair, "h[1]"), QByteArray("100"));
    QCOMPARE(value(pair, "h.max"), QByteArray("100"));
    step(pair, "stepBack");
    QCOMPARE(value(pair, "h[1]"), QByteArray("12"));
    QCOMPARE(value(pair, "h.max"), QByteArray("20"));
  }

  void recordingsHaveStringsAndTypes() {
    QTemporaryDir folder;
    const std::string trace = folder.filePath("t.rxtrace").toStdString();
    {
      EnginePair pair;
      start(pair, "kinds", {{"trace", trace}});
      step(pair, "next", 13);
      QCOMPARE(set(pair, "words", "'other'"), QByteArray("\"other\""));
      QCOMPARE(set(pair, "type", "int8"), QByteArray("int8"));
      // The program goes on to write to it.
      QCOMPARE(set(pair, "x", "1"), QByteArray("Tensor((2,), float32)"));
      QVERIFY(pair.ask("continue").ok());
      QCOMPARE(pair.event("stopped")["reason"], Json("end"));
    }
    EnginePair pair;
    QVERIFY(pair.ask("initialize").ok());
    QVERIFY(pair.ask("rxs/openTrace", {{"path", trace}}).ok());
    const std::pair<int, std::pair<const char*, const char*>> held[] = {{12, {"text", "float32"}},
                                                                        {13, {"other", "int8"}}};
    for (const auto& [at, wanted] : held) {
      QVERIFY(pair.ask("rxs/goto", {{"step", at}}).ok());
      pair.event("stopped");
      QCOMPARE(value(pair, "words"), QByteArray(wanted.first));
      QCOMPARE(value(pair, "type"), QByteArray(wanted.second));
    }
  }

  void columnsAreOfUtf16_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("cursor");
    QTest::addColumn<int>("start");
    QTest::addColumn<int>("length");
    QTest::newRow("ASCII") << "1 + lv" << 6 << 4 << 2;
    QTest::newRow("two bytes") << QString::fromUtf8("\"é\" == lv") << 9 << 7 << 2;
    QTest::newRow("three bytes") << QString::fromUtf8("\"層\" == lv") << 9 << 7 << 2;
    QTest::newRow("four bytes, two units") << QString::fromUtf8("\"😀\" == lv") << 10 << 8 << 2;
    QTest::newRow("in the word") << QString::fromUtf8("\"😀\" == lv") << 9 << 8 << 2;
  }
  void columnsAreOfUtf16() {
    QFETCH(QString, text);
    QFETCH(int, cursor);
    QFETCH(int, start);
    QFETCH(int, length);
    for (const bool fromOne : {true, false}) {
      EnginePair pair;
      QVERIFY(pair.ask("initialize", {{"adapterID", "rxs"}, {"columnsStartAt1", fromOne}}).ok());
      QVERIFY(pair.ask("launch", {{"program", "small"}, {"stopOnEntry", true}}).ok());
      QVERIFY(pair.ask("configurationDone").ok());
      pair.event("stopped");
      runTo(pair, "lv1");
      const int first = fromOne ? 1 : 0;
      auto answer = pair.ask("completions", {{"text", text.toStdString()}, {"column", cursor + first}});
      QVERIFY(answer.ok());
      QCOMPARE((*answer)["targets"][0]["label"], Json("lv"));
      QCOMPARE((*answer)["targets"][0]["start"], Json(start + first));
      QCOMPARE((*answer)["targets"][0]["length"], Json(length));
      // So are the places of what is wrong with an expression; names may have any letters.
      const QString wrong = QString(text).replace(QLatin1String("lv"), QString::fromUtf8("lé😀"));
      auto watched = pair.ask("rxs/watch", {{"expressions", {wrong.toStdString()}}});
      QVERIFY(watched.ok());
      QCOMPARE((*watched)["values"][0]["errorBegin"], Json(start));
      QCOMPARE((*watched)["values"][0]["errorEnd"], Json(start + 4));
    }
  }
};

QTEST_GUILESS_MAIN(TestDapAssign)
#include "tst_dap_assign.moc"
