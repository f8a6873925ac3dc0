#include <QTemporaryDir>
#include <QtTest>

#include "core/debug/expression_history.h"
#include "core/debug/frame_environment.h"
#include "core/debug/state_samples.h"
#include "core/debug/trace_history.h"
#include "core/expression/words.h"
#include "core/support/file.h"
#include "small_program.h"

using namespace rx;
using namespace rx::debug;

namespace {

struct FakeEnvironment : Environment {
  Result<Quantity> lookUp(std::string_view name) override {
    if (name == "n") return Quantity(int64_t{3});
    if (name == "t") return Quantity(Handle{7});
    if (name == "b") return Quantity(Bytes{401408});
    return fail("debug.unknown-name", "unknown");
  }
  Result<Quantity> member(Handle, std::string_view name) override {
    return name == "max" ? Result<Quantity>(Quantity(2.5)) : fail("debug.member", "no member");
  }
  Result<Quantity> element(Handle, const std::vector<int64_t>& index) override { return Quantity(index[0] * 10); }
  Result<Quantity> apply(std::string_view name, Handle) override {
    return name == "nan" ? Result<Quantity>(Quantity(int64_t{18})) : fail("debug.expression", "needs a number");
  }
};

/// "main lv" of where a session stands, or "end".
QString where(Session& s) {
  const StageBinding* binding = s.stage().binding(s.placeAt(s.state()));
  Next next = s.history().next(s.state());
  if (next.instruction < 0) return "end";
  int function = s.program().instructions[size_t(next.instruction)].function;
  return QString::fromStdString(s.program().functions[size_t(function)].name + " " +
                                (binding ? binding->variable.string() : "-"));
}

std::string bytesOf(Session& s, int64_t state, int activation, int reg) {
  Value value = s.history().registerAt(state, activation, reg);
  if (value.kind != ValueKind::Tensor) return std::string(valueKindName(value.kind));
  return {reinterpret_cast<const char*>(value.tensor->data()), size_t(value.tensor->bytes())};
}

}  // namespace

class TestSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void expressions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result");
    for (auto [text, result] : std::initializer_list<std::pair<const char*, const char*>>{
             {"1 + 2 * 3", "7"},
             {"(1 + 2) * 3", "9"},
             {"-7 // 2", "-4"},
             {"-7 % 2", "1"},
             {"7 / 2", "3.5"},
             {"n * 4 == 12", "True"},
             {"n > 3 || t.max > 2", "True"},
             {"not n == 3", "False"},
             {"t[2]", "20"},
             {"'a' == 'a'", "True"},
             {"1e3", "1000"},
             {"n and True", "True"},
             {"--n", "3"},
             {"nan(t) > 17", "True"},
             {"abs(2 - n) + max(n, 7, 2.5)", "8"},
             {"sqrt(n + 1)", "2"},
             {"isnan(n)", "False"},
             {"min(n, t)", "!debug.expression"},
             {"sqrt(t)", "!debug.expression"},
             {"nam(t)", "!debug.expression"},
             {"abs(1, 2)", "!debug.expression"},
             {"abs()", "!debug.expression"},
             {"abs(1", "!debug.expression"},
             {"", "!debug.expression"},
             {"1 +", "!debug.expression"},
             {"m", "!debug.unknown-name"},
             {"1 // 0", "!debug.expression"},
             {"n.x", "!debug.expression"},
             {"9223372036854775807 + 1", "!debug.expression"},
             {"b", "401408 B (392 KiB)"},
             {"b + b", "802816 B (784 KiB)"},
             {"b * 4", "1605632 B (1.531 MiB)"},
             {"b // 1024", "392 B"},
             {"b // b", "1"},
             {"b + 1", "401409"},
             {"b / 1024", "392"},
             {"b > 400000", "True"},
             {"1 2", "!debug.expression"},
             {"99999999999999999999999e999", "!debug.expression"},
             {"'open", "!debug.expression"},
             {"t.who", "!debug.member"}})
      QTest::newRow(text) << text << result;
    QTest::newRow("deep") << QString(5000, '(') << "!debug.expression";
    QTest::newRow("deep minus") << QString(5000, '!') + "0"
                                << "!debug.expression";
  }
  void expressions() {
    QFETCH(QString, text);
    QFETCH(QString, result);
    FakeEnvironment environment;
    Result<Quantity> value = evaluate(text.toStdString(), environment);
    QCOMPARE(QString::fromStdString(value ? quantityText(*value) : "!" + value.diagnostics().front().rule), result);
  }

  /// The bytes that an error is about; a word that is being written.
  void errorsHaveTheirPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    for (auto [text, place] :
         std::initializer_list<std::pair<const char*, const char*>>{{"n + missing > 2", "missing"},
                                                                    {"n + 1 // 0", "1 // 0"},
                                                                    {"2 * nam(t)", "nam"},
                                                                    {"t.who", "who"},
                                                                    {"n.x", "n.x"},
                                                                    {"n 2", "2"},
                                                                    {"n +", ""},
                                                                    {"abs(1, 2) + n", "abs(1, 2)"}})
      QTest::newRow(text) << text << place;
  }
  void errorsHaveTheirPlace() {
    QFETCH(QString, text);
    QFETCH(QString, place);
    FakeEnvironment environment;
    auto value = evaluate(text.toStdString(), environment);
    QVERIFY(!value);
    const Span span = value.diagnostics().front().span;
    QCOMPARE(text.mid(span.begin, span.end - span.begin), place);
    if (place.isEmpty()) QCOMPARE(span.begin, uint32_t(text.size()));
  }

  void comparisonsGiveTheirLeftSide() {
    FakeEnvironment environment;
    std::optional<Quantity> compared;
    QVERIFY(evaluate("nan(t) > 0", environment, &compared).ok());
    QVERIFY(compared && *compared == Quantity(int64_t{18}));
    QVERIFY(evaluate("n + 1", environment, &compared).ok());
    QVERIFY(!compared);
  }

  void wordsBeingWritten() {
    WordPlace place = wordPlace("max(we) + 1", 6);
    QCOMPARE(place.begin, size_t{4});
    QCOMPARE(place.end, size_t{6});
    QVERIFY(place.possible && !place.member);
    QVERIFY(wordPlace("lv.na", 5).member);
    QVERIFY(!wordPlace("1.5", 3).member);
    QVERIFY(!wordPlace("'a b", 4).possible);
    QCOMPARE(wordPlace("%12", 3).begin, size_t{0});
    for (const Word& word : expressionWords()) QVERIFY(expressionWord(word.name, word.member) == &word);
    QVERIFY(!expressionWord("abs", true));
  }

  void hitConditions() {
    QVERIFY(parseHitCondition("3")->holds(3) && !parseHitCondition("3")->holds(4));
    QVERIFY(parseHitCondition(">= 2")->holds(5) && !parseHitCondition(">=2")->holds(1));
    QVERIFY(parseHitCondition("% 2")->holds(4) && !parseHitCondition("%2")->holds(3));
    for (const char* wrong : {"", "x", "0", "-1", "3 3", "=> 2"}) QVERIFY2(!parseHitCondition(wrong), wrong);
  }

  void stepsOverIntoOutAndBack() {
    Session s(test::smallRun());
    QStringList seen;
    auto step = [&](Motion motion, bool forward = true) {
      Stop stop = forward ? s.forward(motion, Granularity::Statement) : s.backward(motion, Granularity::Statement);
      seen << where(s) + (stop.kind == StopKind::End ? "!" : "");
    };
    for (int i = 0; i < 5; ++i) step(Motion::Over);
    QCOMPARE(seen, (QStringList{"main lv", "main h", "main lv1", "main lv2", "end!"}));
    seen.clear();
    for (int i = 0; i < 5; ++i) step(Motion::Over, false);
    QCOMPARE(seen, (QStringList{"main lv2", "main lv1", "main h", "main lv", "main -"}));
    seen.clear();
    step(Motion::Over);
    step(Motion::Over);
    step(Motion::Into);
    step(Motion::Out);
    step(Motion::Out, false);
    QCOMPARE(seen[2], "helper r");
    QCOMPARE(seen[3], "main lv1");
    QCOMPARE(s.history().depth(s.state()), 1);
    seen.clear();
    QCOMPARE(s.state(), int64_t(0));
    step(Motion::Over);
    step(Motion::Over);
    step(Motion::Into);
    step(Motion::Out, false);
    QCOMPARE(seen.last(), "main h");
  }

  void instructionSteps() {
    Session s(test::smallRun());
    for (int64_t i = 1; i <= 6; ++i) {
      s.forward(Motion::Over, Granularity::Instruction);
      if (s.history().depth(s.state()) == 1 && i <= 5) QCOMPARE(s.state(), i);
    }
    // The sixth is the call of helper: over it, not into it.
    QCOMPARE(s.history().depth(s.state()), 1);
    QVERIFY(s.state() > 6);
    s.backward(Motion::Over, Granularity::Instruction);
    QCOMPARE(s.state(), 5);
    s.forward(Motion::Into, Granularity::Instruction);
    QCOMPARE(s.history().depth(s.state()), 2);
  }

  void backIsByteForByte() {
    Session s(test::smallRun());
    std::vector<std::vector<std::string>> live;
    auto look = [&] {
      std::vector<std::string> registers;
      for (const Next& frame : s.history().frames(s.state())) {
        int function = s.history().activation(frame.activation).function;
        for (int reg = 0; reg < s.program().functions[size_t(function)].registers; ++reg)
          registers.push_back(bytesOf(s, s.state(), frame.activation, reg));
      }
      return registers;
    };
    live.push_back(look());
    while (s.forward(Motion::Into, Granularity::Instruction).kind != StopKind::End) live.push_back(look());
    QVERIFY(live.size() > 12);
    for (int64_t state = int64_t(live.size()) - 1; state >= 0; --state) {
      QVERIFY(s.goTo(state).ok());
      QCOMPARE(look(), live[size_t(state)]);
    }
    QVERIFY(!s.goTo(-1));
    QVERIFY(!s.goTo(100000));
  }

  void valuesKeepWhatTheyWere() {
    Session s(test::smallRun());
    s.forward(Motion::Continue, Granularity::Statement);
    // lv2 has been written over lv, which still is what it was when it was computed.
    auto ref = s.valueOf(0, {0, 0});
    QVERIFY(ref);
    QCOMPARE(s.read(*ref)->tensor->at(1), 6.0);
    auto last = s.valueOf(0, {0, 3});
    QVERIFY(last);
    QVERIFY(std::isinf(s.read(*last)->tensor->at(1)));
    QCOMPARE(s.statsOf(*last, *s.read(*last))->infCount, int64_t(2));
    QVERIFY(!s.read({0, 0, 99, {}}));
    QVERIFY(!s.read({0, 5, 0, {}}));
    auto heap = s.heapOf(0, s.history().recorded());
    QCOMPARE(heap.size(), size_t(1));
    QCOMPARE(*heap[0], int64_t(2));
    QVERIFY(!s.heapOf(0, 1)[0]);
    QCOMPARE(s.program().functions[size_t(s.program().functionIndex("main"))].heap[0].origin, std::string("x axis 0"));
    QVERIFY(s.goTo(4).ok());
    QVERIFY(!s.valueOf(0, {0, 0}));
  }

  void namesInAFrame() {
    Session s(test::smallRun());
    QVERIFY(s.runTo(0, {0, 2}).ok());
    FrameEnvironment environment(s, 0);
    auto text = [&](const char* expression) {
      auto value = evaluate(expression, environment);
      return QString::fromStdString(value ? quantityText(*value) : "!" + value.diagnostics().front().rule);
    };
    QCOMPARE(text("lv[1] + h[0]"), "10");
    QCOMPARE(text("x.shape[0] == n"), "True");
    QCOMPARE(text("%3.max"), "6");
    QCOMPARE(text("lv.dtype"), "float32");
    QCOMPARE(text("lv2"), "!debug.no-value-yet");
    QCOMPARE(text("%99"), "!debug.unknown-name");
    QCOMPARE(text("lv[2]"), "!debug.index");
    QCOMPARE(text("lv.colour"), "!debug.member");
    QCOMPARE(text("max(abs(lv - 0))"), "!debug.expression");
    QCOMPARE(text("nan(lv)"), "0");
    QCOMPARE(text("max(abs(lv)) == lv.max"), "True");
    QCOMPARE(text("abs(lv).shape[0] == size(lv)"), "True");
    QVERIFY(s.forward(Motion::Continue, Granularity::Statement).kind == StopKind::End);
    QCOMPARE(text("max(lv1)"), "inf");  // lv1.max is that of the finite elements, of which there is none
    QCOMPARE(text("lv1.max"), "0");
    QCOMPARE(text("mean(lv1)"), "inf");
  }

  /// What was seen of a frame before does not tell in the answer: from any state to any other, and of any frame.
  void namesWhereverTheRunStands() {
    Session s(test::smallRun());
    const auto same = [&](int64_t state) {
      QVERIFY(s.goTo(state).ok());
      for (int activation = 0; activation < s.history().activationCount(); ++activation) {
        std::map<std::string, ValueRef> values;
        for (const auto& [place, ref] : s.valuesOf(activation))
          values.insert_or_assign(std::string(s.stage().binding(place)->variable.view()), ref);
        for (const char* name : {"lv2", "lv", "nothing", "h", "r", "lv1"}) {
          const auto found = s.valueNamed(activation, name);
          const auto walked = values.find(name);
          QCOMPARE(found.has_value(), walked != values.end());
          if (!found) continue;
          QCOMPARE(found->state, walked->second.state);
          QCOMPARE(found->reg, walked->second.reg);
          QVERIFY(found->activation == activation && found->path == walked->second.path);
        }
      }
    };
    for (int64_t state = 0; !s.ended(); state = s.state() + 1) {
      if (state > 0) s.forward(Motion::Into, Granularity::Instruction);
      same(s.state());
    }
    QVERIFY(s.history().activationCount() == 2);
    const int64_t last = s.history().recorded();
    for (int64_t distance = 0; distance <= last / 2; ++distance)
      for (const int64_t state : {last - distance, distance, last / 2}) same(state);
  }

  void expressionsOverTheRun() {
    Session s(test::smallRun());
    QVERIFY(s.forward(Motion::Continue, Granularity::Statement).kind == StopKind::End);
    const int64_t last = s.state();
    const ExpressionHistory all = expressionHistory(s, 0, "max(lv1)", 500, std::chrono::seconds(10));
    QCOMPARE(s.state(), last);
    QCOMPARE(all.states, last + 1);
    QVERIFY(!all.sampled() && !all.problem);
    QVERIFY(!all.points.front().value);
    QVERIFY(all.points.back().value && std::isinf(*all.points.back().value));
    QVERIFY(expressionHistory(s, 0, "max(lv1)", 4, std::chrono::seconds(10)).sampled());
    QVERIFY(expressionHistory(s, 0, "lv1", 500, std::chrono::seconds(10)).problem);
    QVERIFY(expressionHistory(s, 0, "nothing", 500, std::chrono::seconds(10)).problem);
  }

  /// Both ends, no state twice, coarse before fine; a run that has grown asks for the same states or every second.
  void samplesOfStates() {
    QVERIFY(sampledStates(3, 2, 10).empty() && sampledStates(0, 5, 0).empty());
    QCOMPARE(sampledStates(7, 7, 10), std::vector<int64_t>{7});
    QCOMPARE(sampledStates(2, 6, 2), (std::vector<int64_t>{6, 2}));
    QCOMPARE(sampledStates(0, 8, 9), (std::vector<int64_t>{8, 0, 4, 6, 2, 7, 5, 3, 1}));
    for (const auto& [first, last, most] :
         {std::tuple<int64_t, int64_t, int64_t>{0, 100'000, 400}, {977, 1'234'567, 33}, {5, 40, 100}}) {
      const std::vector<int64_t> states = sampledStates(first, last, most);
      const std::set<int64_t> once(states.begin(), states.end());
      QCOMPARE(once.size(), states.size());
      QVERIFY(*once.begin() == first && *once.rbegin() == last);
      QVERIFY(static_cast<int64_t>(states.size()) <= most);
      QVERIFY(static_cast<int64_t>(states.size()) >= std::min(most / 3, last - first + 1));
      const std::vector<int64_t> later = sampledStates(first, last + 1, most);
      QVERIFY(std::all_of(later.begin() + 1, later.end(), [&](int64_t state) { return once.contains(state); }));
    }
  }

  void memoryOverTheRun() {
    Session s(test::smallRun());
    QVERIFY(s.forward(Motion::Continue, Granularity::Statement).kind == StopKind::End);
    History& history = s.history();
    QVERIFY(!s.memoryCurve().look(history, 400, std::chrono::milliseconds(0)));
    QVERIFY(s.memoryCurve().look(history, 400, std::chrono::seconds(10)));
    const auto& bytes = s.memoryCurve().bytes();
    QCOMPARE(static_cast<int64_t>(bytes.size()), history.recorded() + 1);
    for (const auto& [state, alive] : bytes) QCOMPARE(alive, bytesOf(history.liveAt(state)));
    QVERIFY(bytes.rbegin()->second != bytes.begin()->second);
    // What was found needs no time again.
    QVERIFY(s.memoryCurve().look(history, 400, std::chrono::milliseconds(0)));
    QVERIFY(s.memoryCurve().look(history, 4, std::chrono::milliseconds(0)));
    QCOMPARE(bytes.size(), sampledStates(history.oldest(), history.recorded(), 4).size());
  }

  void breakpoints() {
    Session s(test::smallRun());
    std::vector<int> hit;
    auto add = [&](Breakpoint b, const char* condition = "") {
      b.id = int(s.breakpoints().size()) + 1;
      setConditions(b, std::string(condition), {});
      s.breakpoints().push_back(b);
    };
    add(s.bindingBreakpoint(0, {0, 1}));                  // h
    add(s.bindingBreakpoint(0, {1, 0}), "a[0] == 2");     // r
    add(s.bindingBreakpoint(0, {0, 3}), "lv1.inf == 0");  // lv2, never
    Breakpoint entry;
    entry.kind = BreakKind::Function;
    entry.instructions = {s.program().functions[size_t(s.program().functionIndex("helper"))].begin};
    add(entry);
    QStringList seen;
    for (;;) {
      Stop stop = s.forward(Motion::Continue, Granularity::Statement);
      if (stop.kind == StopKind::End) break;
      QCOMPARE(stop.kind, StopKind::Breakpoint);
      seen << where(s) + QString(" %1").arg(stop.breakpoints.front());
    }
    QCOMPARE(seen, (QStringList{"main h 1", "helper r 4", "helper r 2"}));
    QCOMPARE(s.backward(Motion::Continue, Granularity::Statement).breakpoints, std::vector<int>{2});
    QVERIFY(!s.bindingBreakpoint(0, {0, 99}).verified());
    QVERIFY(!s.bindingBreakpoint(4, {0, 0}).verified());
    Breakpoint wrong = s.bindingBreakpoint(0, {0, 0});
    setConditions(wrong, std::string("1 +"), {});
    QVERIFY(!wrong.verified());
  }

  void nonFinite() {
    Session s(test::smallRun());
    s.filters().nonFinite = true;
    Stop stop = s.forward(Motion::Continue, Granularity::Statement);
    QCOMPARE(stop.kind, StopKind::Exception);
    QVERIFY2(
        stop.description.starts_with("lv1: over made 2 Inf among 2 elements out of finite inputs, the first at [0]"),
        stop.description.c_str());
    // lv2 only passes the Inf on.
    QCOMPARE(s.forward(Motion::Continue, Granularity::Statement).kind, StopKind::End);
    // From a bad value back to the step that made it.
    QCOMPARE(s.backward(Motion::Continue, Granularity::Statement).kind, StopKind::Exception);
    QCOMPARE(where(s), "main lv1");
  }

  /// The states of a frame, one behind the other, with what it calls between two of them.
  void neighbours() {
    auto run = test::smallRun();
    while (run->canAdvance()) run->advance();
    for (int64_t state = 0; state <= run->recorded(); ++state) {
      const int here = run->next(state).activation;
      int64_t before = here < 0 ? -1 : state - 1, behind = here < 0 ? -1 : state + 1;
      while (before >= 0 && run->next(before).activation != here) --before;
      while (behind >= 0 && run->next(behind).activation != here) behind = behind < run->recorded() ? behind + 1 : -1;
      QCOMPARE(run->previous(state), before);
      QCOMPARE(run->following(state), behind);
      for (int frame = 0; frame < run->activationCount(); ++frame) {
        int64_t running = state;
        while (running >= 0 && run->next(running).activation != frame) --running;
        const bool gone = run->lastStateOf(frame, state) < 0;
        QCOMPARE(gone ? -1 : run->lastRunning(frame, state), running);
      }
    }
    QCOMPARE(run->previous(-1), int64_t{-1});
    QCOMPARE(run->following(run->recorded() + 1), int64_t{-1});
    QCOMPARE(run->activation(run->activationCount()).function, -1);
    QCOMPARE(run->step(run->recorded()).instruction, int64_t{-1});
  }

  void dataBreakpoint() {
    Session s(test::smallRun());
    QVERIFY(s.runTo(0, {0, 1}).ok());
    Breakpoint b;
    b.id = 1;
    b.kind = BreakKind::Data;
    b.watch = {0, 3, false, true};  // lv, whose memory lv2 reuses
    s.breakpoints().push_back(b);
    Stop stop = s.forward(Motion::Continue, Granularity::Statement);
    QCOMPARE(stop.kind, StopKind::DataBreakpoint);
    int64_t wrote = s.history().step(s.state() - 1).instruction;
    QCOMPARE(s.program().instructions[size_t(wrote)].variable, std::string("lv2"));
  }

  void dataBreakpointInEveryCall_data() {
    QTest::addColumn<int>("calls");
    QTest::newRow("few") << 3;
    QTest::newRow("many") << 40;
  }

  /// A register of a function, set once and read twice in each call.
  void dataBreakpointInEveryCall() {
    QFETCH(int, calls);
    vm::ExecBuilder b;
    b.declareFunction("leaf", vm::FunctionKind::Bytecode);
    QVERIFY(b.beginFunction("main", 1, {"x"}).ok());
    for (int i = 0; i < calls; ++i) b.emitCall("leaf", {vm::Arg::reg(0)}, 1);
    b.emitRet(1);
    b.endFunction();
    QVERIFY(b.beginFunction("leaf", 1, {"x"}).ok());
    b.emitCall("vm.builtin.make_tuple", {vm::Arg::reg(0)}, 1);
    for (int i = 0; i < 2; ++i) b.emitCall("vm.builtin.make_tuple", {vm::Arg::reg(1), vm::Arg::imm(i)}, 2);
    b.emitRet(2);
    b.endFunction();
    const Ref<vm::Executable> executable = *b.finish();
    vm::MachineOptions options;
    options.record = true;
    auto machine = *vm::Machine::create(executable, options);
    QVERIFY(machine->start("main", {vm::Value::of(int64_t{1})}).ok());
    Session s(*MachineHistory::create(std::move(machine), programOf(*executable, {test::smallStage()}), {{}}));
    Breakpoint breakpoint;
    breakpoint.kind = BreakKind::Data;
    s.breakpoints().push_back(breakpoint);
    const auto stops = [&](bool forward, bool read) {
      s.breakpoints().front().watch = {-1, 1, read, !read, s.program().functionIndex("leaf")};
      for (int count = 0;; ++count) {
        const Stop stop = forward ? s.forward(Motion::Continue, Granularity::Statement)
                                  : s.backward(Motion::Continue, Granularity::Statement);
        if (stop.kind != StopKind::DataBreakpoint) return count;
      }
    };
    QCOMPARE(stops(true, false), calls);      // while it runs
    QCOMPARE(stops(false, true), 2 * calls);  // and what is recorded
    QCOMPARE(stops(true, true), 2 * calls);
    QCOMPARE(stops(false, false), calls);
  }

  /// Of a binding, in every call, from the first write on; its condition is about what was written.
  void dataBreakpointOfABinding() {
    Session s(test::smallRun());
    Breakpoint b = s.dataBreakpoint(0, {0, 0});
    QVERIFY2(b.verified(), b.message.c_str());
    b.id = 1;
    s.breakpoints().push_back(b);
    QCOMPARE(s.forward(Motion::Continue, Granularity::Statement).kind, StopKind::DataBreakpoint);
    Breakpoint& set = s.breakpoints().front();
    set.condition = "lv2.inf > 0";
    const Stop unknown = s.forward(Motion::Continue, Granularity::Statement);
    QVERIFY(unknown.description.find("lv2") != std::string::npos || unknown.kind == StopKind::DataBreakpoint);
    while (s.forward(Motion::Continue, Granularity::Statement).kind != StopKind::End) {
    }
    QVERIFY(!set.problem || set.hits.empty());
    QVERIFY(!s.dataBreakpoint(0, {0, 99}).verified());
  }

  /// A name that is misspelt stops and says so, with its place.
  void conditionThatCanNotBeEvaluated() {
    Session s(test::smallRun());
    Breakpoint b = s.bindingBreakpoint(0, {0, 3});
    setConditions(b, std::string("lv1.inf > 0 and nothing"), {});
    QVERIFY(b.verified());
    s.breakpoints().push_back(b);
    const Stop stop = s.forward(Motion::Continue, Granularity::Statement);
    QCOMPARE(stop.kind, StopKind::Breakpoint);
    QVERIFY2(stop.description.find("`nothing` has no value here") != std::string::npos, stop.description.c_str());
    QVERIFY(s.breakpoints().front().problem);
    QCOMPARE(s.breakpoints().front().problem->span.begin, 16u);
  }

  void failureIsAStop() {
    Session s(test::smallRun({}, 2));
    Stop stop = s.forward(Motion::Continue, Granularity::Statement);
    QCOMPARE(stop.kind, StopKind::Exception);
    QVERIFY(!stop.diagnostics.empty());
    QVERIFY(s.ended());
    QCOMPARE(s.state(), s.history().recorded());
    QVERIFY(s.state() > 0);
    QCOMPARE(s.backward(Motion::Over, Granularity::Instruction).kind, StopKind::Step);
  }

  void traceOutlivesTheRun() {
    QTemporaryDir folder;
    std::string path = folder.filePath("run.rxtrace").toStdString();
    Session live(test::smallRun(path));
    live.forward(Motion::Continue, Granularity::Statement);
    auto opened = TraceHistory::open(path);
    QVERIFY(opened.ok());
    Session replay(std::move(*opened));
    QCOMPARE(replay.history().recorded(), live.history().recorded());
    QCOMPARE(replay.history().end(), RunEnd::Finished);
    for (int64_t state = 0; state <= live.history().recorded(); ++state) {
      QVERIFY(live.goTo(state).ok() && replay.goTo(state).ok());
      QCOMPARE(where(replay), where(live));
      auto frames = live.history().frames(state);
      QCOMPARE(replay.history().frames(state).size(), frames.size());
      for (const Next& frame : frames) {
        int function = live.history().activation(frame.activation).function;
        for (int reg = 0; reg < live.program().functions[size_t(function)].registers; ++reg)
          QCOMPARE(bytesOf(replay, state, frame.activation, reg), bytesOf(live, state, frame.activation, reg));
      }
    }
    // Whole, it is refused when it is cut anywhere; damaged, it never does harm.
    std::string whole = *readFile(path);
    for (size_t size = 0; size < whole.size(); size += 11) {
      QVERIFY(writeFile(path, std::string_view(whole).substr(0, size)).ok());
      QVERIFY(!TraceHistory::open(path));
    }
    for (size_t at = 0; at < whole.size(); at += 13) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ 0x41);
      QVERIFY(writeFile(path, damaged).ok());
      auto bad = TraceHistory::open(path);
      if (!bad) continue;
      Session s(std::move(*bad));
      s.forward(Motion::Continue, Granularity::Statement);
      for (int64_t state = 0; state <= s.history().recorded(); ++state)
        for (const Next& frame : s.history().frames(state)) (void)s.history().registerAt(state, frame.activation, 0);
    }
    QVERIFY(!TraceHistory::open(folder.filePath("missing").toStdString()));
  }

  /// Of a run that was killed: cut anywhere, it is read up to there, or refused.
  void traceOfAKilledRun() {
    QTemporaryDir folder;
    std::string path = folder.filePath("run.rxtrace").toStdString();
    Session live(test::smallRun(path));
    while (live.state() < 12) live.forward(Motion::Into, Granularity::Instruction);
    const std::string whole = *readFile(path);
    const std::string cutPath = folder.filePath("cut.rxtrace").toStdString();
    int64_t most = 0;
    for (size_t size = 0; size < whole.size(); size += 11) {
      QVERIFY(writeFile(cutPath, std::string_view(whole).substr(0, size)).ok());
      auto cut = TraceHistory::open(cutPath);
      if (!cut) continue;
      QCOMPARE((*cut)->canAdvance(), false);
      QCOMPARE((*cut)->end(), RunEnd::Cut);
      most = std::max(most, (*cut)->recorded());
    }
    QCOMPARE(most, live.history().recorded());
  }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
