// A run that is recorded: every state of the file against the machine that made it.
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/debug/recording.h"
#include "core/debug/run_recorder.h"
#include "core/debug/session.h"
#include "core/tensor/tensor_text.h"
#include "small_program.h"

using namespace rx;
using namespace rx::debug;

namespace {

/// Stands for a register that the machine holds nothing in.
const std::string kNothing = "-";

/// What the registers of all frames hold, as text with the numbers of tensors.
std::vector<std::string> shownBy(const vm::Machine& machine) {
  std::vector<std::string> shown;
  for (const vm::Frame& frame : machine.frames())
    for (const vm::Value& value : frame.registers) {
      if (value.isNull()) {
        shown.push_back(kNothing);
        continue;
      }
      const bool tensor = value.is(vm::ValueKind::Tensor);
      shown.push_back(tensor ? tensorText(value.tensor()) : std::to_string(value.is(vm::ValueKind::Storage)));
    }
  return shown;
}

std::vector<std::string> shownBy(const Recording& run, uint32_t state) {
  std::vector<std::string> shown;
  auto frames = *run.reader().frames(state);
  for (size_t i = frames.size(); i-- > 0;) {
    const uint32_t activation = frames[i].activation;
    for (uint32_t reg = 0; reg < run.reader().activation(activation)->registers; ++reg) {
      const auto value = run.valueAt({state, activation, reg});
      if (!value) {
        shown.push_back(value.diagnostics().front().rule);
        continue;
      }
      const bool tensor = value->kind == ValueKind::Tensor;
      shown.push_back(tensor ? tensorText(*value->tensor) : std::to_string(value->kind == ValueKind::Storage));
    }
  }
  return shown;
}

/// What a recording shows of a state is what the machine held; registers that it emptied after their last use keep
/// what they had.
void compare(const Recording& run, uint32_t state, const std::vector<std::string>& held) {
  const std::vector<std::string> shown = shownBy(run, state);
  QCOMPARE(shown.size(), held.size());
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i] != kNothing) QCOMPARE(shown[i], held[i]);
}

std::unique_ptr<vm::Machine> smallMachine(int64_t rank = 1) {
  vm::MachineOptions options;
  options.kernels = std::make_shared<test::SmallKernels>();
  options.record = true;
  auto machine = *vm::Machine::create(test::smallExecutable(rank), options);
  RX_ASSERT(machine->start("main", {test::smallInput()}).ok(), "the program has a function main of one parameter");
  return machine;
}

std::string elements(const Recording& run, const std::string& name, uint32_t step) {
  const auto place = run.placeOf(name, step);
  if (!place) return place.diagnostics().front().rule;
  const auto value = run.valueAt(*place);
  return value ? tensorText(*value->tensor) : value.diagnostics().front().rule;
}

}  // namespace

class TestRecording : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::string path() const { return folder_.filePath("run.rxtrace").toStdString(); }

  /// Records a run to its end, and what the machine held on the way.
  std::vector<std::vector<std::string>> record(const store::Policy& policy = {}, int64_t rank = 1) {
    auto machine = smallMachine(rank);
    const Program program = programOf(machine->executable(), {test::smallStage()});
    auto recorder = *RunRecorder::create(path(), program, *machine, policy);
    std::vector<std::vector<std::string>> states{shownBy(*machine)};
    while (machine->status() == vm::MachineStatus::Running) {
      if (machine->step() == vm::MachineStatus::Faulted) break;
      recorder->step({7, 0});
      states.push_back(shownBy(*machine));
    }
    recorder->finish();
    return states;
  }

 private Q_SLOTS:
  void everyState() {
    const auto states = record();
    auto run = *Recording::open(path());
    QCOMPARE(run->reader().state(), store::RunState::Finished);
    QCOMPARE(size_t(run->reader().recorded()) + 1, states.size());
    for (uint32_t state = 0; state < states.size(); ++state) compare(*run, state, states[state]);
    const auto result = run->valueAt(run->reader().recorded(), *run->reader().end()->result);
    QVERIFY(result.ok());
    QCOMPARE(tensorText(*result->tensor), std::string("[inf inf]"));
  }

  /// Where a tensor lies is said in no time, whatever the clock says of it; the step is taken all the same.
  void stepsThatAreNotTimed() {
    auto machine = smallMachine();
    const Program program = programOf(machine->executable(), {test::smallStage()});
    StepTimer timer(program);
    int64_t steps = 0, views = 0, others = 0;
    while (machine->status() == vm::MachineStatus::Running) {
      const bool view = program.instructions[machine->pc()].allocatesTensor();
      const StepTime time = timer.step(*machine);
      ++steps;
      if (view) QCOMPARE(time.nanoseconds, 0);
      (view ? views : others) += view ? 1 : time.nanoseconds;
    }
    QCOMPARE(machine->status(), vm::MachineStatus::Finished);
    QCOMPARE(static_cast<int64_t>(machine->stepCount()), steps);
    QVERIFY(views > 0 && others > 0);
  }

  /// The bytes of a large value may be on their way to the file when the next step wants to write their memory, and
  /// when somebody looks.
  void largeValuesInMemoryThatIsWrittenAgain() {
    constexpr int64_t kElements = 1 << 18;
    constexpr int kTimes = 6;
    using test::Arg;
    vm::ExecBuilder b;
    QVERIFY(b.beginFunction("main", 1, {"x"}).ok());
    b.emitCall("vm.builtin.alloc_storage",
               {Arg::machine(), b.constant(vm::Value::shape({4 * kElements})), Arg::imm(0),
                b.constant(vm::Value::of(DataType::UInt(8)))},
               1);
    b.emitCall("vm.builtin.alloc_tensor",
               {Arg::reg(1), Arg::imm(0), b.constant(vm::Value::shape({kElements})),
                b.constant(vm::Value::of(DataType::Float(32)))},
               2);
    for (int i = 0; i < kTimes; ++i) b.emitCall("twice", {Arg::reg(i == 0 ? 0 : 2), Arg::reg(2)}, vm::kVoidRegister);
    b.emitRet(2);
    b.endFunction();
    auto executable = *b.finish();
    vm::MachineOptions options;
    options.kernels = std::make_shared<test::SmallKernels>();
    options.record = true;
    auto machine = *vm::Machine::create(executable, options);
    std::vector<double> numbers(kElements);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    QVERIFY(machine->start("main", {test::smallInput(numbers)}).ok());
    auto history =
        *MachineHistory::create(std::move(machine), programOf(*executable, {test::smallStage()}), {path(), {}});
    const auto lastElement = [&](int64_t state) {
      const debug::Value value = history->registerAt(state, 0, 2);
      return value.tensor ? value.tensor->at(kElements - 1) : -1.0;
    };
    const int64_t before = 2;
    while (history->recorded() < before) history->advance();
    for (int i = 1; i <= kTimes; ++i) {
      history->advance();
      QCOMPARE(lastElement(before + i), static_cast<double>(kElements << i));
    }
    while (history->canAdvance()) history->advance();
    for (int i = 1; i <= kTimes; ++i) QCOMPARE(lastElement(before + i), static_cast<double>(kElements << i));
    auto again = *TraceHistory::open(path());
    for (int i = 1; i <= kTimes; ++i)
      QCOMPARE(again->registerAt(before + i, 0, 2).tensor->at(0), static_cast<double>(1 << i));
  }

  void bindingsByName() {
    record();
    auto run = *Recording::open(path());
    const uint32_t last = run->reader().recorded() - 1;
    // lv2 lies in the memory that lv had.
    QCOMPARE(elements(*run, "lv", last), std::string("[2. 6.]"));
    QCOMPARE(elements(*run, "h", last), std::string("[4. 12.]"));
    QCOMPARE(elements(*run, "r", last), std::string("[4. 12.]"));
    QCOMPARE(elements(*run, "lv2", last), std::string("[inf inf]"));
    QCOMPARE(elements(*run, "x", last), std::string("[1. 3.]"));
    QCOMPARE(elements(*run, "lv2", 3), std::string("show.binding"));
    QCOMPARE(elements(*run, "nothing", last), std::string("show.binding"));
  }

  /// Where a process may have few addresses, values are described as elsewhere.
  void fewAddresses() {
    constexpr rlim_t kFew = rlim_t{16} << 30;
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    if (pages > kFew / 2 / 4096) QSKIP("sanitizers take more addresses than that for themselves");
    record();
    rlimit before = {};
    QCOMPARE(getrlimit(RLIMIT_AS, &before), 0);
    const rlimit few = {kFew, before.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_AS, &few), 0);
    const auto run = Recording::open(path());
    QCOMPARE(setrlimit(RLIMIT_AS, &before), 0);
    QVERIFY(run.ok());
    const uint32_t last = (*run)->reader().recorded() - 1;
    const auto place = (*run)->placeOf("x", last);
    QVERIFY(place.ok());
    const auto value = (*run)->reader().registerAt(place->state, place->activation, place->reg);
    QVERIFY(value.ok());
    const auto described = (*run)->described(place->state, *value);
    QVERIFY2(described.ok(), described.ok() ? "" : described.diagnostics().front().message.c_str());
    QCOMPARE(described->tensor->shape(), std::vector<int64_t>{2});
  }

  void marks_data() {
    QTest::addColumn<int>("keep");
    // From the bytes that are kept, and as the recorder found it where none are.
    QTest::newRow("everything") << static_cast<int>(store::Keep::Everything);
    QTest::newRow("statistics") << static_cast<int>(store::Keep::Statistics);
  }
  void marks() {
    QFETCH(int, keep);
    record({static_cast<store::Keep>(keep)});
    auto run = *Recording::open(path());
    QStringList nonFinite, results;
    for (uint32_t step = 0; step < run->reader().recorded(); ++step) {
      const auto row = *run->reader().step(step);
      const std::string text = run->program().instructions[row.instruction].callee;
      if (run->finiteness(step).made) nonFinite << QString::fromStdString(text);
      for (const WrittenTensor& made : *run->writtenBy(step))
        if (row.result) results << QString::fromStdString(run->bindingOf(row.instruction)) + QString::number(made.reg);
    }
    // What doubles an infinity did not make it.
    QCOMPARE(nonFinite, QStringList{"over"});
    QCOMPARE(results, (QStringList{"lv3", "r2", "lv16", "lv27"}));
  }

  void whatAPolicyDrops() {
    store::Policy policy;
    policy.keep = store::Keep::LastSteps;
    policy.steps = 4;
    const auto states = record(policy);
    auto run = *Recording::open(path());
    QVERIFY(run->reader().oldest() > 0);
    for (uint32_t state = run->reader().oldest(); state < states.size(); ++state) compare(*run, state, states[state]);
    QCOMPARE(shownBy(*run, states.size() - 1).size(), states.back().size());
    QVERIFY(!run->reader().frames(0).ok());
  }

  /// What is left of a run whose first steps were dropped is walked as the whole one is.
  void walkedWithoutItsFirstSteps() {
    record();
    auto whole = *TraceHistory::open(path());
    record({store::Keep::LastSteps, 4});
    auto opened = TraceHistory::open(path());
    QVERIFY(opened.ok());
    History& part = **opened;
    const int64_t oldest = part.oldest();
    QVERIFY(oldest > 0);
    QCOMPARE(part.recorded(), whole->recorded());
    QCOMPARE(part.end(), RunEnd::Finished);
    QCOMPARE(part.step(oldest - 1).instruction, int64_t{-1});
    for (int64_t state = oldest; state <= part.recorded(); ++state) {
      QCOMPARE(part.depth(state), whole->depth(state));
      const std::vector<Next> frames = part.frames(state), wanted = whole->frames(state);
      QCOMPARE(frames.size(), wanted.size());
      for (size_t i = 0; i < frames.size(); ++i) {
        QCOMPARE(frames[i].instruction, wanted[i].instruction);
        QCOMPARE(frames[i].activation, wanted[i].activation);
        QCOMPARE(part.lastStateOf(frames[i].activation, state), state);
      }
      QCOMPARE(part.step(state).dst, whole->step(state).dst);
    }
    Session session(std::move(*opened));
    QCOMPARE(session.state(), oldest);
    QVERIFY(session.goTo(session.history().recorded()).ok());
    QCOMPARE(session.goTo(oldest - 1).diagnostics().front().rule, std::string("debug.step"));
    const Stop stop = session.backward(Motion::Continue, Granularity::Instruction);
    QCOMPARE(stop.kind, StopKind::Entry);
    QVERIFY(stop.description.find("dropped") != std::string::npos);
    QCOMPARE(session.state(), oldest);
    QVERIFY(session.registersBetween(0, oldest, session.history().recorded()).size() > 0);
  }

  void aFailedRun() {
    const auto states = record({}, 2);
    auto run = *Recording::open(path());
    QCOMPARE(run->reader().state(), store::RunState::Failed);
    QCOMPARE(run->reader().end()->diagnostics.front().rule, std::string("vm.shape-mismatch"));
    compare(*run, run->reader().recorded(), states.back());
  }

  /// What a failed instruction left in memory is no state of the run.
  void aFaultLeavesNoTrace() {
    class Failing : public test::SmallKernels {
      Result<Ref<vm::Callable>> find(std::string_view name) override {
        if (name != "over") return SmallKernels::find(name);
        return vm::makeCallable("over", [](vm::CallContext&, vm::Arguments args) -> Result<vm::Value> {
          for (const vm::Value& arg : args) arg.tensor().set(0, 99);
          return fail("test.bad", "it fails half-way");
        });
      }
    };
    vm::MachineOptions options;
    options.kernels = std::make_shared<Failing>();
    options.record = true;
    auto machine = *vm::Machine::create(test::smallExecutable(), options);
    QVERIFY(machine->start("main", {test::smallInput()}).ok());
    Program program = programOf(machine->executable(), {test::smallStage()});
    auto history = *MachineHistory::create(std::move(machine), std::move(program), {path()});
    while (history->canAdvance()) history->advance();
    QCOMPARE(history->end(), RunEnd::Failed);
    QCOMPARE(history->failure().front().rule, std::string("test.bad"));
    const Value h = history->registerAt(history->recorded(), 0, 4);
    QCOMPARE(tensorText(*h.tensor), std::string("[4. 12.]"));
  }

  /// What a live run no longer keeps is said where it is asked for; the run goes on.
  void aLiveRunForgets() {
    auto machine = smallMachine();
    Program program = programOf(machine->executable(), {test::smallStage()});
    auto history =
        *MachineHistory::create(std::move(machine), std::move(program), {path(), {store::Keep::LastSteps, 4}});
    while (history->canAdvance()) history->advance();
    QCOMPARE(history->end(), RunEnd::Finished);
    QCOMPARE(history->recorded(), int64_t{16});
    QVERIFY(history->oldest() > 0);
    QCOMPARE(history->registerAt(0, 0, 0).kind, ValueKind::Object);
    QCOMPARE(history->step(0).instruction, int64_t{-1});
    QCOMPARE(history->next(history->oldest()).activation, 0);
  }

  /// A budget that not even what is alive fits in is not passed: the recording ends, and the run does not.
  void aBudgetEndsTheRecording() {
    constexpr int64_t kCount = 1 << 18;
    constexpr uint64_t kBudget = 1 << 20;
    vm::ExecBuilder b;
    QVERIFY(b.beginFunction("main", 1, {"x"}).ok());
    b.emitCall("vm.builtin.alloc_storage",
               {vm::Arg::machine(), b.constant(vm::Value::shape({4 * kCount})), vm::Arg::imm(0),
                b.constant(vm::Value::of(DataType::UInt(8))), b.constant(vm::Value::of("global"))},
               1);
    b.emitCall("vm.builtin.alloc_tensor",
               {vm::Arg::reg(1), vm::Arg::imm(0), b.constant(vm::Value::shape({kCount})),
                b.constant(vm::Value::of(DataType::Float(32)))},
               2);
    b.emitCall("twice", {vm::Arg::reg(0), vm::Arg::reg(2)}, vm::kVoidRegister);
    b.emitRet(2);
    b.endFunction();
    auto executable = b.finish();
    QVERIFY(executable.ok());
    std::vector<double> numbers(kCount);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
    vm::MachineOptions options;
    options.kernels = std::make_shared<test::SmallKernels>();
    options.record = true;
    auto machine = *vm::Machine::create(*executable, options);
    QVERIFY(machine->start("main", {test::smallInput(numbers)}).ok());
    Program program = programOf(**executable, {test::smallStage()});
    auto history = *MachineHistory::create(std::move(machine), std::move(program),
                                           {path(), {store::Keep::Everything, 0, kBudget}});
    while (history->canAdvance()) history->advance();
    QCOMPARE(history->end(), RunEnd::Finished);
    QCOMPARE(history->recorded(), int64_t{4});
    const auto saysBudget = [](const Value& value) {
      return value.kind == ValueKind::Object && value.text.find("budget") != std::string::npos;
    };
    QVERIFY(saysBudget(history->registerAt(1, 0, 0)));
    QVERIFY(saysBudget(history->registerAt(3, 0, 2)));
    QVERIFY(std::filesystem::file_size(path()) > 0);
    QVERIFY(!history->change({0, 0, {}, vm::Value::of(int64_t{1})}).ok());
    QCOMPARE(history->changeable().diagnostics().front().rule, std::string("debug.ended"));
  }

  void otherFilesAreRefused() {
    QVERIFY(writeFile(path(), "rxtrace3 and more").ok());
    QVERIFY(!Recording::open(path()).ok());
    // A recording of something else has another program.
    QVERIFY(store::Writer::create(path(), "no program").ok());
    const auto opened = Recording::open(path());
    QVERIFY(!opened.ok());
  }
};

QTEST_GUILESS_MAIN(TestRecording)
#include "tst_recording.moc"
