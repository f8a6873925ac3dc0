#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "core/debug/trace_history.h"
#include "engine_pair.h"

using namespace rx;
using namespace rx::dap;
using rx::test::EnginePair;

namespace {

const Json kSmall = {{"path", "/somewhere/small.py"}};

/// Runs one line of a script against an engine that stands at the start of `small`; returns what `=>` is compared with.
class Script {
 public:
  explicit Script(EnginePair& pair) : pair_(pair) {}

  QString run(const QString& line) {
    QStringList words = line.split(' ', Qt::SkipEmptyParts);
    QString verb = words.takeFirst();
    QString rest = line.mid(verb.size()).trimmed();
    if (verb == "break") return breakpoint(words, rest);
    if (verb == "clear") return clear();
    if (verb == "function")
      return verified("setFunctionBreakpoints", {{"breakpoints", {{{"name", rest.toStdString()}}}}});
    if (verb == "address") {
      std::string address = QString("0x%1").arg(rest.toInt(), 0, 16).toStdString();
      return verified("setInstructionBreakpoints", {{"breakpoints", {{{"instructionReference", address}}}}});
    }
    if (verb == "filters") {
      Json list = Json::array();
      for (const QString& word : words) list.push_back(word.toStdString());
      return granted("setExceptionBreakpoints", {{"filters", list}});
    }
    if (verb == "watch") return watch(rest);
    if (verb == "evaluate") {
      auto answer = pair_.ask("evaluate", {{"expression", rest.toStdString()}});
      return answer ? text((*answer)["result"]) : refusal(answer);
    }
    if (verb == "stack") {
      auto answer = pair_.ask("stackTrace", {{"threadId", 1}});
      QStringList names;
      for (const Json& frame : answer ? (*answer)["stackFrames"] : Json::array()) names << text(frame["name"]);
      return names.join(' ');
    }
    if (verb == "heap") {
      auto answer = pair_.ask("rxs/shapeHeap");
      QStringList slots;
      for (const Json& slot : answer ? (*answer)["slots"] : Json::array())
        slots << text(slot["expression"]) + "=" + QString::number(slot["value"].get<int64_t>());
      return slots.join(' ');
    }
    if (verb == "result") return result();
    if (verb == "targets") return column("stepInTargets", {{"frameId", 1}}, "targets", "label");
    if (verb == "locations")
      return column("breakpointLocations",
                    {{"source", kSmall}, {"line", words[0].toInt()}, {"endLine", words[1].toInt()}}, "breakpoints",
                    "line");
    if (verb == "gotos") return column("gotoTargets", {{"source", kSmall}, {"line", rest.toInt()}}, "targets", "id");
    if (verb == "complete")
      return column("completions", {{"text", rest.toStdString()}, {"column", rest.size() + 1}}, "targets", "label");
    if (verb == "modules") return column("modules", {}, "modules", "name");
    if (verb == "sources") return column("loadedSources", {}, "sources", "name");
    if (verb == "declared") return declared(rest);
    if (verb == "producer") {
      auto answer = pair_.ask("rxs/position");
      return answer ? text((*answer)["doneVariable"]) : refusal(answer);
    }
    return motion(verb, words);
  }

 private:
  static QString text(const Json& json) {
    return QString::fromStdString(json.is_string() ? json.get<std::string>() : json.dump());
  }
  static QString refusal(const Result<Json>& answer) {
    return "!" + QString::fromStdString(answer.diagnostics().front().rule);
  }
  /// One field of the rows of an answer.
  QString column(const char* command, Json arguments, const char* rows, const char* field) {
    auto answer = pair_.ask(command, std::move(arguments));
    if (!answer) return refusal(answer);
    QStringList fields;
    for (const Json& row : (*answer)[rows]) fields << text(row[field]);
    return fields.join(' ');
  }
  /// The line at which a binding's variable is declared.
  QString declared(const QString& name) {
    auto scopes = pair_.ask("scopes", {{"frameId", 1}});
    if (!scopes) return refusal(scopes);
    auto list = pair_.ask("variables", {{"variablesReference", (*scopes)["scopes"][0]["variablesReference"]}});
    for (const Json& row : list ? (*list)["variables"] : Json::array()) {
      if (row["name"] != Json(name.toStdString())) continue;
      auto place = pair_.ask("locations", {{"locationReference", row["declarationLocationReference"]}});
      return place ? text((*place)["line"]) : refusal(place);
    }
    return "!";
  }
  QString granted(const char* command, Json arguments) {
    auto answer = pair_.ask(command, std::move(arguments));
    return answer ? QString() : refusal(answer);
  }
  QString verified(const char* command, Json arguments) {
    auto answer = pair_.ask(command, std::move(arguments));
    if (!answer) return refusal(answer);
    const Json& last = (*answer)["breakpoints"].back();
    return last["verified"].get<bool>() ? QString() : text(last["message"]);
  }
  QString breakpoint(const QStringList& words, const QString& rest) {
    Json row = {{"stage", 0}, {"function", words[0].toStdString()}, {"variable", words[1].toStdString()}};
    if (words.size() > 3 && words[2] == "if") row["condition"] = rest.mid(rest.indexOf(" if ") + 4).toStdString();
    if (words.size() > 3 && words[2] == "hit") row["hitCondition"] = words[3].toStdString();
    rows_.push_back(row);
    return verified("rxs/setBindingBreakpoints", {{"breakpoints", rows_}});
  }
  QString clear() {
    rows_ = Json::array();
    granted("setFunctionBreakpoints", {{"breakpoints", Json::array()}});
    return granted("rxs/setBindingBreakpoints", {{"breakpoints", rows_}});
  }
  QString watch(const QString& name) {
    auto info = pair_.ask("dataBreakpointInfo", {{"name", name.toStdString()}});
    if (!info || (*info)["dataId"].is_null()) return "!";
    return verified("setDataBreakpoints", {{"breakpoints", {{{"dataId", (*info)["dataId"]}}}}});
  }
  QString result() {
    auto answer = pair_.ask("rxs/result");
    if (!answer) return refusal(answer);
    auto slice = pair_.ask("rxs/slice", {{"reference", (*answer)["value"]["reference"]}});
    QStringList numbers;
    for (const Json& number : slice ? (*slice)["values"] : Json::array()) numbers << text(number);
    return numbers.join(' ');
  }
  QString motion(const QString& verb, const QStringList& words) {
    Json arguments = {{"threadId", 1}};
    std::string command = verb.toStdString();
    if (verb == "reverse") {
      command = "rxs/reverseStep";
      arguments["kind"] = words[0].toStdString();
    } else if (verb == "goto") {
      command = "rxs/goto";
      arguments["step"] = words[0].toInt();
    } else if (verb == "into") {
      auto targets = pair_.ask("stepInTargets", {{"frameId", 1}});
      command = "stepIn";
      arguments["targetId"] = 0;
      for (const Json& row : targets ? (*targets)["targets"] : Json::array())
        if (row["label"] == Json(words[0].toStdString())) arguments["targetId"] = row["id"];
    } else if (verb == "frame") {
      command = "restartFrame";
      arguments["frameId"] = words[1].toInt();
    } else if (verb == "jump") {
      auto targets = pair_.ask("gotoTargets", {{"source", kSmall}, {"line", words[0].toInt()}});
      command = "goto";
      arguments["targetId"] = targets ? (*targets)["targets"][0]["id"] : Json(-1);
    } else if (verb == "runTo") {
      command = "rxs/runTo";
      arguments = {{"stage", 0}, {"function", words[0].toStdString()}, {"variable", words[1].toStdString()}};
    } else if (!words.isEmpty()) {
      arguments["granularity"] = words[0].toStdString();
    }
    auto answer = pair_.ask(command, arguments);
    if (!answer) return refusal(answer);
    Json stop = pair_.event("stopped");
    if (!stop.is_object()) return text(stop);
    auto word = [&](const char* name) {
      std::string value = stop["rxs"][name].get<std::string>();
      return QString::fromStdString(value.empty() ? "-" : value);
    };
    return text(stop["reason"]) + " " + word("vmFunction") + " " + word("variable");
  }

  EnginePair& pair_;
  Json rows_ = Json::array();
};

}  // namespace

class TestDapServer : public QObject {
  Q_OBJECT

 private:
  /// The rows of a whole answer with those of a `since` answer put in their place; rows without a value go.
  static Json patched(const Json& rows, const Json& newer) {
    std::map<int64_t, Json> byIndex;
    for (Json row : rows) {
      row["changed"] = false;
      byIndex[row["index"].get<int64_t>()] = row;
    }
    for (const Json& row : newer) byIndex[row["index"].get<int64_t>()] = row;
    Json out = Json::array();
    for (const auto& [index, row] : byIndex)
      if (row["changed"].get<bool>() || row["value"]["kind"] != Json("none")) out.push_back(row);
    return out;
  }
  /// References are numbers that every answer makes anew.
  static Json plain(Json rows) {
    for (Json& row : rows) row["value"].erase("reference");
    return rows;
  }

  void registersInPartsAndSince(EnginePair& pair) {
    const Json before = *pair.ask("rxs/registers", {{"held", true}});
    Json parts = Json::array();
    int64_t next = 0;
    for (int asked = 0; next >= 0 && asked < 1000; ++asked) {
      const Json part = *pair.ask("rxs/registers", {{"held", true}, {"start", next}, {"count", 2}});
      QVERIFY(part["registers"].size() <= 2);
      for (const Json& row : part["registers"]) parts.push_back(row);
      next = part["next"].get<int64_t>();
    }
    QCOMPARE(plain(parts), plain(before["registers"]));
    const Json here = *pair.ask("rxs/position");
    const int64_t state = here["step"].get<int64_t>();
    // Forwards, backwards, and to where the frame began.
    for (int64_t to : {state - 1, state - 4, int64_t{0}}) {
      QVERIFY(pair.ask("rxs/goto", {{"step", to}}).ok());
      pair.event("stopped");
      const Json there = *pair.ask("rxs/registers", {{"held", true}});
      const Json back =
          *pair.ask("rxs/registers", {{"held", true}, {"activation", before["activation"]}, {"since", state}});
      QCOMPARE(back["since"], Json(state));
      QCOMPARE(plain(patched(before["registers"], back["registers"])), plain(there["registers"]));
      QVERIFY(pair.ask("rxs/goto", {{"step", state}}).ok());
      pair.event("stopped");
      const Json again =
          *pair.ask("rxs/registers", {{"held", true}, {"activation", before["activation"]}, {"since", to}});
      QCOMPARE(plain(patched(there["registers"], again["registers"])), plain(before["registers"]));
    }
    // A state or a frame that is not there is answered with everything.
    const Json all = *pair.ask("rxs/registers", {{"held", true}, {"activation", 0}, {"since", state + 1000}});
    QCOMPARE(all["since"], Json(-1));
    QCOMPARE(plain(all["registers"]), plain(before["registers"]));
    const Json other = *pair.ask("rxs/registers", {{"held", true}, {"activation", 77}, {"since", 0}});
    QCOMPARE(other["since"], Json(-1));
  }

 private Q_SLOTS:
  void scripts_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("mode");
    QDir folder(RX_SOURCE_DIR "/tests/dap/scripts");
    QStringList names = folder.entryList({"*.txt"});
    QVERIFY(names.size() >= 5);
    for (const QString& name : names)
      for (const char* mode : {"live", "recorded", "replayed"})
        QTest::newRow(qPrintable(name + " " + mode)) << folder.filePath(name) << mode;
  }
  void scripts() {
    QFETCH(QString, file);
    QFETCH(QString, mode);
    QTemporaryDir folder;
    Json options = {{"stopOnEntry", true}, {"stopOnEnd", true}, {"trace", folder.filePath("t").toStdString()}};
    auto pair = std::make_unique<EnginePair>();
    pair->launch("small", options);
    QCOMPARE(pair->event("stopped")["reason"], Json("entry"));
    if (mode != "live") {
      QVERIFY(pair->ask("continue").ok());
      QCOMPARE(pair->event("stopped")["reason"], Json("end"));
      if (mode == "replayed") {
        pair = std::make_unique<EnginePair>();
        QVERIFY(pair->ask("initialize").ok());
        QVERIFY(pair->ask("rxs/openTrace", {{"path", options["trace"]}}).ok());
      }
      QVERIFY(pair->ask("rxs/goto", {{"step", 0}}).ok());
      pair->event("stopped");
    }
    QFile script(file);
    QVERIFY(script.open(QIODevice::ReadOnly));
    Script runner(*pair);
    int number = 0;
    for (const QByteArray& raw : script.readAll().split('\n')) {
      ++number;
      QString line = QString::fromUtf8(raw).trimmed();
      if (line.isEmpty() || line.startsWith('#')) continue;
      QStringList sides = line.split("=>");
      QString got = runner.run(sides[0].trimmed());
      QString expected = sides.size() > 1 ? sides[1].trimmed() : QString();
      QVERIFY2(got == expected, qPrintable(QString("line %1: %2: got %3").arg(number).arg(line, got)));
    }
  }

  void wrongSequence() {
    EnginePair pair;
    QCOMPARE(pair.refusal("launch", {{"program", "small"}}), std::string("dap.sequence"));
    QCOMPARE(pair.refusal("initialize"), std::string());
    QCOMPARE(pair.refusal("initialize"), std::string("dap.sequence"));
    QCOMPARE(pair.refusal("next"), std::string("dap.sequence"));
    QCOMPARE(pair.refusal("configurationDone"), std::string("dap.sequence"));
    QCOMPARE(pair.refusal("launch"), std::string("dap.arguments"));
    QCOMPARE(pair.refusal("launch", {{"program", "missing"}}), std::string("file.read"));
    QCOMPARE(pair.refusal("launch", {{"program", 7}}), std::string("dap.arguments"));
    QCOMPARE(pair.refusal("launch", {{"program", "small"}, {"function", "nobody"}}), std::string("vm.no-function"));
    QCOMPARE(pair.refusal("launch", {{"program", "small"}, {"stage", 3}}), std::string("debug.stage"));
    QCOMPARE(pair.refusal("launch", {{"program", "small"}, {"trace", "/nowhere/t"}}), std::string("store.file"));
    QCOMPARE(pair.refusal("nonsense"), std::string("dap.unknown-request"));
    QCOMPARE(pair.refusal("rxs/openTrace", {{"path", "/nowhere"}}), std::string("store.file"));
    // After all that it still works.
    QCOMPARE(pair.refusal("launch", {{"program", "small"}, {"stopOnEntry", true}}), std::string());
    QCOMPARE(pair.refusal("next"), std::string("dap.sequence"));
    QCOMPARE(pair.refusal("configurationDone"), std::string());
    QCOMPARE(pair.event("stopped")["reason"], Json("entry"));
    QCOMPARE(pair.refusal("configurationDone"), std::string("dap.sequence"));
  }

  void unknownNumbers() {
    EnginePair pair;
    pair.launch("small", {{"stopOnEntry", true}});
    pair.event("stopped");
    for (auto [command, arguments, rule] : std::initializer_list<std::tuple<const char*, Json, const char*>>{
             {"scopes", {{"frameId", 77}}, "dap.frame"},
             {"variables", {{"variablesReference", 77}}, "dap.reference"},
             {"variables", {{"variablesReference", -1}}, "dap.reference"},
             {"readMemory", {{"memoryReference", "memory:5"}, {"count", 4}}, "dap.reference"},
             {"readMemory", {{"memoryReference", "x"}, {"count", 4}}, "dap.reference"},
             {"disassemble", {{"memoryReference", "x"}, {"instructionCount", 4}}, "dap.reference"},
             {"disassemble", {{"memoryReference", "0x0"}, {"instructionCount", 9000000}}, "dap.arguments"},
             {"rxs/slice", {{"reference", 99}}, "dap.reference"},
             {"rxs/slice", {{"expression", "x"}, {"begin", {0, 0}}}, "dap.arguments"},
             {"rxs/slice", {{"expression", "nobody"}}, "debug.unknown-name"},
             {"rxs/saveValue", {{"expression", "x"}, {"path", "/nowhere/x.npy"}}, "file.write"},
             {"rxs/selectStage", {{"stage", -1}}, "debug.stage"},
             {"rxs/result", {}, "dap.sequence"},
             {"source", {{"sourceReference", 9}}, "dap.arguments"},
             {"exceptionInfo", {{"threadId", 1}}, "dap.sequence"},
             {"evaluate", {{"expression", "1 +"}}, "debug.expression"}})
      QCOMPARE(QString::fromStdString(command + (" " + pair.refusal(command, arguments))),
               QString("%1 %2").arg(command, rule));
  }

  void malformedMessages() {
    EnginePair pair;
    pair.server.feed("Content-Length: oops\r\n\r\n");
    pair.server.feed(frame(Json("text")));
    pair.server.feed(frame(Json{{"seq", 5}, {"type", "request"}}));
    pair.server.feed(frame(Json{{"seq", 6}, {"type", "event"}, {"event", "x"}}));
    QVERIFY(pair.ask("initialize").ok());
    // A wrong header and a message without a number, and two answers to requests that the client never sent.
    QCOMPARE(pair.events.size(), size_t(2));
    QCOMPARE(pair.problems.size(), size_t(2));
  }

  void pauseWhileRunning() {
    EnginePair pair;
    pair.launch("spin");
    QCOMPARE(pair.refusal("next"), std::string("dap.running"));
    QCOMPARE(pair.refusal("launch", {{"program", "small"}}), std::string("dap.running"));
    QCOMPARE(pair.refusal("setInstructionBreakpoints", {{"breakpoints", Json::array()}}), std::string());
    QVERIFY(pair.ask("threads").ok());
    // The pause may come before the machine's first step; it goes on then, and is paused again.
    int64_t before = 0;
    for (int attempt = 0; attempt < 1000 && before == 0; ++attempt) {
      if (attempt > 0) QVERIFY(pair.ask("continue").ok());
      QVERIFY(pair.ask("pause").ok());
      Json stop = pair.event("stopped");
      QCOMPARE(stop["reason"], Json("pause"));
      before = stop["rxs"]["recorded"].get<int64_t>();
    }
    QVERIFY(pair.ask("setInstructionBreakpoints", {{"breakpoints", {{{"instructionReference", "0x1"}}}}}).ok());
    QVERIFY(pair.ask("continue").ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("breakpoint"));
    QVERIFY(pair.ask("setInstructionBreakpoints", {{"breakpoints", Json::array()}}).ok());
    QVERIFY(pair.ask("continue").ok());
    QVERIFY(pair.ask("disconnect").ok());
    QVERIFY(pair.server.waitDone(std::chrono::seconds(5)));
    QVERIFY(before > 0);
  }

  void endsAndStartsAgain() {
    EnginePair pair;
    pair.launch("small");
    QCOMPARE(pair.event("exited")["exitCode"], Json(0));
    QVERIFY(pair.event("terminated").is_object());
    QVERIFY(
        pair.ask("rxs/setBindingBreakpoints", {{"breakpoints", {{{"stage", 0}, {"function", "main"}, {"binding", 2}}}}})
            .ok());
    QVERIFY(pair.ask("restart").ok());
    Json stop = pair.event("stopped");
    QCOMPARE(stop["rxs"]["variable"], Json("lv1"));
    QCOMPARE(stop["hitBreakpointIds"].size(), size_t(1));
  }

  void failureTellsWhy() {
    EnginePair pair;
    pair.launch("wrong rank");
    Json stop = pair.event("stopped");
    QCOMPARE(stop["reason"], Json("exception"));
    QVERIFY(!stop["diagnostics"][0]["message"].get<std::string>().empty());
    auto info = pair.ask("exceptionInfo", {{"threadId", 1}});
    QVERIFY(info.ok());
    QVERIFY((*info)["exceptionId"].get<std::string>().starts_with("vm."));
    QVERIFY(pair.ask("stackTrace").ok());
    QVERIFY(pair.ask("setExceptionBreakpoints", {{"filters", Json::array()}}).ok());
    QVERIFY(pair.ask("restart").ok());
    QCOMPARE(pair.event("exited")["exitCode"], Json(1));
  }

  void valuesScopesAndMemory() {
    EnginePair pair;
    QTemporaryDir folder;
    pair.launch("small", {{"stopOnEntry", true}});
    pair.event("stopped");
    auto all = pair.ask("rxs/registers");
    auto held = pair.ask("rxs/registers", {{"held", true}});
    QVERIFY((*held)["registers"].size() < (*all)["registers"].size());
    for (const Json& row : (*held)["registers"])
      QVERIFY(row["changed"].get<bool>() || row["value"]["kind"] != Json("none"));
    QVERIFY(pair.ask("rxs/runTo", {{"function", "main"}, {"variable", "lv2"}}).ok());
    pair.event("stopped");
    registersInPartsAndSince(pair);
    auto scopes = pair.ask("scopes", {{"frameId", 1}});
    QCOMPARE((*scopes)["scopes"].size(), size_t(4));
    std::map<std::string, Json> variables;
    for (const Json& scope : (*scopes)["scopes"]) {
      auto list = pair.ask("variables", {{"variablesReference", scope["variablesReference"]}});
      variables[scope["name"].get<std::string>()] = (*list)["variables"];
    }
    QCOMPARE(variables["Bindings"].size(), size_t(3));
    QCOMPARE(variables["Bindings"][0]["name"], Json("lv"));
    QCOMPARE(variables["Shape heap"][0]["value"], Json("2"));
    QCOMPARE(variables["Arguments"][0]["name"], Json("x"));
    Json lv = variables["Bindings"][0];
    auto element =
        pair.ask("variables", {{"variablesReference", lv["variablesReference"]}, {"start", 1}, {"count", 1}});
    QCOMPARE((*element)["variables"].size(), size_t(1));
    QCOMPARE((*element)["variables"][0]["name"], Json("[1]"));
    QCOMPARE((*element)["variables"][0]["value"], Json("6"));
    auto memory = pair.ask("readMemory", {{"memoryReference", lv["memoryReference"]}, {"count", 100}});
    QCOMPARE((*memory)["unreadableBytes"], Json(92));
    float numbers[2] = {2, 6};
    QCOMPARE(QByteArray::fromBase64(QByteArray::fromStdString((*memory)["data"].get<std::string>())),
             QByteArray(reinterpret_cast<char*>(numbers), 8));
    auto values = pair.ask("rxs/values");
    QCOMPARE((*values)["bindings"].size(), size_t(3));
    QCOMPARE((*values)["bindings"][2]["value"]["infCount"], Json(2));
    QCOMPARE((*values)["symbols"][0]["name"], Json("n"));
    QCOMPARE((*values)["params"][0]["value"]["max"], Json(3.0));
    // Only what came after a state, in parts; an answer for another call of a function begins anew.
    const Json activation = (*values)["activation"];
    const int64_t first = (*values)["bindings"][0]["state"].get<int64_t>();
    auto later = pair.ask("rxs/values", {{"activation", activation}, {"since", first}});
    QCOMPARE((*later)["since"], Json(first));
    QCOMPARE((*later)["bindings"].size(), size_t(2));
    QCOMPARE((*later)["bindings"][1], (*values)["bindings"][2]);
    auto part = pair.ask("rxs/values", {{"activation", activation}, {"since", 0}, {"count", 1}});
    QCOMPARE((*part)["bindings"].size(), size_t(1));
    QCOMPARE((*part)["bindings"][0]["state"], Json(first));
    QCOMPARE((*part)["complete"], Json(false));
    auto anew = pair.ask("rxs/values", {{"activation", 77}, {"since", first}});
    QCOMPARE((*anew)["since"], Json(0));
    QCOMPARE((*anew)["bindings"].size(), size_t(3));
    auto live = pair.ask("rxs/memory");
    QVERIFY((*live)["liveBytes"].get<int64_t>() >= 24);
    QVERIFY(!(*live)["storages"].empty() && !(*live)["storages"][0]["registers"].empty());
    auto totals = pair.ask("rxs/memory", {{"storages", false}});
    QCOMPARE((*totals)["liveBytes"], (*live)["liveBytes"]);
    QVERIFY((*totals)["storages"].empty());
    QVERIFY((*totals)["points"].empty());
    // Who made a piece, and the bytes over the run: one point a state where there are few.
    for (const Json& storage : (*live)["storages"]) QVERIFY(storage["step"].get<int64_t>() >= -1);
    auto curve = pair.ask("rxs/memory", {{"storages", false}, {"points", 400}});
    QCOMPARE(static_cast<int64_t>((*curve)["points"].size()), (*curve)["states"].get<int64_t>());
    int64_t most = 0;
    for (const Json& point : (*curve)["points"]) most = std::max(most, point["liveBytes"].get<int64_t>());
    QVERIFY(most > 0 && most <= (*curve)["peakBytes"].get<int64_t>());
    auto few = pair.ask("rxs/memory", {{"storages", false}, {"points", 2}});
    QCOMPARE((*few)["points"].size(), size_t(2));
    QCOMPARE((*few)["points"][1], (*curve)["points"].back());
    auto timeline = pair.ask("rxs/timeline");
    int bad = 0;
    for (const Json& step : (*timeline)["steps"]) bad += step["nonFinite"].get<bool>();
    QCOMPARE(bad, 1);
    auto program = pair.ask("rxs/program");
    QCOMPARE((*program)["instructions"][4]["variable"], Json("lv"));
    auto piece = pair.ask("rxs/program", {{"start", 4}, {"count", 1}});
    QCOMPARE((*piece)["instructions"].size(), size_t(1));
    QCOMPARE((*piece)["instructions"][0], (*program)["instructions"][4]);
    QCOMPARE((*piece)["total"], Json((*program)["instructions"].size()));
    QCOMPARE((*pair.ask("rxs/program", {{"start", 4000}}))["instructions"].size(), size_t(0));
    auto code =
        pair.ask("disassemble", {{"memoryReference", "0x1"}, {"instructionOffset", -2}, {"instructionCount", 4}});
    QCOMPARE((*code)["instructions"].size(), size_t(4));
    QCOMPARE((*code)["instructions"][0]["presentationHint"], Json("invalid"));
    QCOMPARE((*code)["instructions"][1]["symbol"], Json("main"));
    auto origin = pair.ask("rxs/origin", {{"instruction", 4}});
    QCOMPARE((*origin)["places"].size(), size_t(1));
    QCOMPARE((*origin)["places"][0]["variable"], Json("lv"));
    QCOMPARE((*origin)["instructions"], Json({2, 3, 4}));
    QCOMPARE(pair.refusal("rxs/origin", {{"instruction", 400}}), std::string("dap.reference"));
    QCOMPARE(pair.refusal("rxs/origin", {{"function", "main"}, {"binding", 9}}), std::string("debug.place"));
    std::string path = folder.filePath("x.npy").toStdString();
    QVERIFY(pair.ask("rxs/saveValue", {{"expression", "lv"}, {"path", path}}).ok());
    QCOMPARE(QFileInfo(QString::fromStdString(path)).size(), qint64(128 + 8));
    const Json lines = {{{"line", 3}}, {{"line", 99}}};
    auto line = pair.ask("setBreakpoints", {{"source", {{"path", "/somewhere/./small.py"}}}, {"breakpoints", lines}});
    QCOMPARE((*line)["breakpoints"][0]["verified"], Json(true));
    QCOMPARE((*line)["breakpoints"][0]["line"], Json(3));
    QCOMPARE((*line)["breakpoints"][1]["verified"], Json(false));
    // A file of the same name is another file.
    auto other = pair.ask("setBreakpoints", {{"source", {{"path", "/else/small.py"}}}, {"breakpoints", lines}});
    QCOMPARE((*other)["breakpoints"][0]["verified"], Json(false));
    QVERIFY(pair.ask("reverseContinue").ok());
    QCOMPARE(pair.event("stopped")["rxs"]["variable"], Json("h"));
  }

  /// A condition that can not be evaluated stops there and says why; a wrong message or count is refused at once.
  void conditionsSayWhatIsWrong() {
    EnginePair pair;
    pair.launch("small", {{"stopOnEntry", true}});
    pair.event("stopped");
    const Json wrong = {{{"line", 2}, {"condition", "1 +"}},
                        {{"line", 2}, {"hitCondition", "often"}},
                        {{"line", 2}, {"logMessage", "{lv +}"}},
                        {{"line", 3}, {"condition", "nobody > 3"}}};
    auto set = pair.ask("setBreakpoints", {{"source", kSmall}, {"breakpoints", wrong}});
    QVERIFY(set.ok());
    for (int i : {0, 1, 2}) {
      QCOMPARE((*set)["breakpoints"][i]["verified"], Json(false));
      QVERIFY(!(*set)["breakpoints"][i]["message"].get<std::string>().empty());
    }
    QCOMPARE((*set)["breakpoints"][3]["verified"], Json(true));
    QVERIFY(pair.ask("continue").ok());
    const Json stop = pair.event("stopped");
    QCOMPARE(stop["rxs"]["line"], Json(3));
    QVERIFY(stop["description"].get<std::string>().find("nobody") != std::string::npos);
    // Older clients name lines alone.
    auto old = pair.ask("setBreakpoints", {{"source", kSmall}, {"lines", {4, 5}}});
    QCOMPARE((*old)["breakpoints"].size(), size_t(2));
    QVERIFY(pair.ask("continue").ok());
    QCOMPARE(pair.event("stopped")["rxs"]["line"], Json(4));
  }

  void killedEngineLeavesItsTrace() {
    QTemporaryDir folder;
    std::string trace = folder.filePath("spin.rxtrace").toStdString();
    QProcess engine;
    Client client([&](std::string bytes) { engine.write(bytes.data(), qint64(bytes.size())); });
    engine.start(RX_BINARY_DIR "/tests/test_engine", {});
    QVERIFY(engine.waitForStarted());
    client.request("initialize", {});
    client.request("launch", {{"program", "spin"}, {"trace", trace}});
    client.request("configurationDone", {});
    bool failedLater = false;
    client.request("threads", {});
    QTRY_VERIFY_WITH_TIMEOUT((client.feed(engine.readAllStandardOutput().toStdString()), client.pending() == 0), 10000);
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(QString::fromStdString(trace)).size() > 20000, 10000);
    engine.kill();
    QVERIFY(engine.waitForFinished());
    QCOMPARE(engine.exitStatus(), QProcess::CrashExit);
    client.closed("the engine was killed");
    client.request("next", {}, [&](Result<Json> answer) { failedLater = !answer; });
    QVERIFY(failedLater);
    auto history = debug::TraceHistory::open(trace);
    QVERIFY(history.ok());
    QVERIFY((*history)->recorded() > 10);
    QCOMPARE((*history)->end(), debug::RunEnd::Cut);
    // Another engine shows the steps of the dead one.
    EnginePair pair;
    QVERIFY(pair.ask("initialize").ok());
    auto position = pair.ask("rxs/openTrace", {{"path", trace}});
    QVERIFY(position.ok());
    QCOMPARE((*position)["ended"], Json(true));
    QVERIFY(pair.ask("stepBack", {{"granularity", "instruction"}}).ok());
    QCOMPARE(pair.event("stopped")["reason"], Json("step"));
    QCOMPARE(pair.refusal("restart"), std::string("dap.sequence"));
  }

  void engineOverStandardInput() {
    QTemporaryDir folder;
    QProcess engine;
    engine.start(RX_BINARY_DIR "/tests/test_engine", {"", folder.filePath("log")});
    engine.write(QByteArray::fromStdString(frame(toJson(Request{1, "initialize", {}})) +
                                           frame(toJson(Request{2, "disconnect", {}}))));
    QVERIFY(engine.waitForFinished(10000));
    QCOMPARE(engine.exitCode(), 0);
    QVERIFY(engine.readAllStandardOutput().contains("supportsStepBack"));
    QFile log(folder.filePath("log"));
    QVERIFY(log.open(QIODevice::ReadOnly));
    QCOMPARE(log.readAll().count('\n'), 4);
    // The client is gone without a word.
    QProcess other;
    other.start(RX_BINARY_DIR "/tests/test_engine", {});
    other.closeWriteChannel();
    QVERIFY(other.waitForFinished(10000));
    QCOMPARE(other.exitCode(), 0);
  }
};

QTEST_GUILESS_MAIN(TestDapServer)
#include "tst_dap_server.moc"
