#include <QTest>
#include <cstring>

#include "core/runtime/machine.h"
#include "core/vm/builder.h"
#include "core/vm/executable_file.h"
#include "core/vm/site_origin.h"

using namespace rx;
using namespace rx::vm;

namespace {

Value num(int64_t value) { return Value::of(value); }
Value tensorOf(std::vector<int64_t> shape, std::vector<double> values) {
  return Value::of(*HostTensor::fromDoubles(std::move(shape), DataType::Float(32), values));
}

Result<Unit> twoTensors(Arguments args) {
  if (args.size() != 2 || !args[0].is(ValueKind::Tensor) || !args[1].is(ValueKind::Tensor) ||
      args[0].tensor().count() == 0 || args[0].tensor().count() > args[1].tensor().count()) {
    return fail("test.arguments", "two tensors are needed");
  }
  return Unit{};
}

/// Kernels written in C++: "twice" writes 2 x into its second argument, "bad" writes half and fails.
class TestKernels : public KernelProvider {
 public:
  Result<Ref<Callable>> find(std::string_view name) override {
    if (name == "twice") {
      return makeCallable("twice", [](CallContext&, Arguments args) -> Result<Value> {
        RX_CHECK(twoTensors(args));
        for (int64_t i = 0; i < args[0].tensor().count(); ++i) args[1].tensor().set(i, 2 * args[0].tensor().at(i));
        return Value();
      });
    }
    if (name == "bad") {
      return makeCallable("bad", [](CallContext&, Arguments args) -> Result<Value> {
        RX_CHECK(twoTensors(args));
        args[1].tensor().set(0, 99);
        return fail("test.bad", "failed half-way");
      });
    }
    return Ref<Callable>();
  }
};

/// f(x): two applications of "twice" in one planned storage that both reuse.
Ref<Executable> reusingProgram(const char* second = "twice") {
  ExecBuilder b;
  (void)b.beginFunction("f", 1, {"x"});
  b.emitCall("vm.builtin.alloc_storage",
             {Arg::machine(), b.constant(Value::shape({16})), Arg::imm(0), b.constant(Value::of(DataType::UInt(8))),
              b.constant(Value::of("global"))},
             1);
  for (Word dst : {2, 3}) {
    b.emitCall("vm.builtin.alloc_tensor",
               {Arg::reg(1), Arg::imm(0), b.constant(Value::shape({4})), b.constant(Value::of(DataType::Float(32)))},
               dst);
  }
  b.emitCall("twice", {Arg::reg(0), Arg::reg(2)}, kVoidRegister);
  b.emitCall(second, {Arg::reg(2), Arg::reg(3)}, kVoidRegister);
  b.emitRet(3);
  b.endFunction();
  auto exe = b.finish();
  RX_ASSERT(exe.ok(), "{}", exe.diagnostics()[0].message);
  return *exe;
}

/// f(c): `count` times, if c then a storage of 1,000 bytes is made; only the condition is used behind.
Ref<Executable> branchingProgram(int count, bool backwards = false) {
  ExecBuilder b;
  (void)b.beginFunction("f", 1, {"c"});
  Word reg = 1;
  for (int i = 0; i < count; ++i) {
    const Word branch = b.emitIf(0);
    b.emitCall("vm.builtin.alloc_storage",
               {Arg::machine(), b.constant(Value::shape({1000})), Arg::imm(0), b.constant(Value::of(DataType::UInt(8))),
                b.constant(Value::of("global"))},
               reg);
    b.emitCall("vm.builtin.copy", {Arg::reg(reg)}, reg + 1);
    const Word skip = b.emitGoto();
    b.patch(branch, b.nextInstruction());
    b.emitCall("vm.builtin.copy", {Arg::imm(1)}, reg + 1);
    b.patch(skip, b.nextInstruction());
    reg += 2;
  }
  if (backwards) {  // never taken, but the machine can not know
    const Word branch = b.emitIf(0);
    const Word back = b.emitGoto();
    b.patch(back, branch);
    b.patch(branch, b.nextInstruction());
  }
  b.emitRet(0);
  b.endFunction();
  auto exe = b.finish();
  RX_ASSERT(exe.ok(), "{}", exe.diagnostics()[0].message);
  return *exe;
}

/// loop(n): calls itself until n is zero; even(n) through a closure.
Ref<Executable> recursiveProgram() {
  ExecBuilder b;
  (void)b.beginFunction("loop", 1, {"n"});
  b.emitCall("vm.builtin.read_if_cond", {Arg::reg(0)}, 1);
  const Word branch = b.emitIf(1);
  b.emitCall("minus", {Arg::reg(0), Arg::imm(1)}, 2);
  b.emitCall("vm.builtin.make_closure", {b.function("loop")}, 3);
  b.emitCall("vm.builtin.invoke_closure", {Arg::machine(), Arg::reg(3), Arg::reg(2)}, 4);
  const Word skip = b.emitGoto();
  b.patch(branch, b.nextInstruction());
  b.emitCall("vm.builtin.copy", {Arg::imm(42)}, 4);
  b.patch(skip, b.nextInstruction());
  b.emitRet(4);
  b.endFunction();
  return *b.finish();
}

MachineOptions withMinus() {
  auto registry = std::make_shared<PackedRegistry>(PackedRegistry::withBuiltins());
  registry->add("minus", makeCallable("minus", [](CallContext&, Arguments args) -> Result<Value> {
                  return Value::of(args[0].asInt() - args[1].asInt());
                }));
  MachineOptions options;
  options.registry = registry;
  return options;
}

}  // namespace

class MachineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void saysWhatAStepChanged();
  void registersLastAsLongAsTheyAreUsed();
  void branchesLeaveNothing();
  void aRunTakesTheMemoryOfTheLast();
  void whatIsLentStaysAsItIs();
  void aFaultKeepsTheFrame();
  void recursionNeedsNoStack();
  void budgets();
  void shapeErrorsNameEverything();
  void missingFunctionsAreListed();
  void filesRoundTrip();
  void constantsMayLieBesideTheFile();
  void originsAreInTheFile();
  void callsThatBindNothingHaveAName();
  void brokenFilesAreRefused();
  void theVerifierRefuses();
  void texts();
};

void MachineTest::saysWhatAStepChanged() {
  MachineOptions options;
  options.kernels = std::make_shared<TestKernels>();
  options.record = true;
  auto machine = *Machine::create(reusingProgram(), options);
  QVERIFY(machine->start("f", {tensorOf({4}, {1, 2, 3, 4})}).ok());
  QVERIFY(!machine->lastStep());
  size_t registers = 0, memory = 0;
  while (machine->status() == MachineStatus::Running) {
    const size_t pc = machine->pc();
    machine->step();
    QCOMPARE(machine->lastStep()->pc, pc);
    registers += machine->lastStep()->registers.size();
    memory += machine->lastStep()->memory.size();
  }
  QCOMPARE(machine->status(), MachineStatus::Finished);
  QCOMPARE(machine->result().tensor().at(3), 16.0);
  QVERIFY(machine->lastStep()->frames == StepRecord::Frames::Popped && !machine->lastStep()->released.empty());
  QVERIFY(registers > 0 && memory > 0);
}

void MachineTest::registersLastAsLongAsTheyAreUsed() {
  MachineOptions options;
  options.kernels = std::make_shared<TestKernels>();
  for (const bool record : {false, true}) {
    options.record = record;
    auto machine = *Machine::create(reusingProgram(), options);
    QVERIFY(machine->start("f", {tensorOf({4}, {1, 2, 3, 4})}).ok());
    for (int i = 0; i < 5; ++i) machine->step();  // before the return
    const std::vector<Value>& registers = machine->top().registers;
    QCOMPARE(registers.size(), size_t{4});
    QVERIFY(registers[0].isNull() && registers[1].isNull());  // x and the storage
    QVERIFY(registers[2].is(ValueKind::Tensor));              // of the call just made, whose values can still be asked
    QVERIFY(registers[3].is(ValueKind::Tensor));
    if (record) QVERIFY(!machine->lastStep()->released.empty());
    QCOMPARE(machine->run(), MachineStatus::Finished);
    QCOMPARE(machine->result().tensor().at(3), 16.0);
  }
}

void MachineTest::branchesLeaveNothing() {
  for (const bool taken : {false, true}) {
    auto machine = *Machine::create(branchingProgram(60), {});
    QVERIFY(machine->start("f", {Value::of(taken)}).ok());
    QCOMPARE(machine->run(), MachineStatus::Finished);
    QCOMPARE(machine->memory().peak(), int64_t{taken ? 1000 : 0});
  }
  // Behind a jump backwards a register may be used again.
  auto machine = *Machine::create(branchingProgram(3, true), {});
  QVERIFY(machine->start("f", {Value::of(false)}).ok());
  QCOMPARE(machine->run(), MachineStatus::Finished);
}

void MachineTest::aRunTakesTheMemoryOfTheLast() {
  MachineOptions options;
  options.kernels = std::make_shared<TestKernels>();
  auto machine = *Machine::create(reusingProgram(), options);
  std::vector<Value> results;
  for (int run = 0; run < 3; ++run) {
    QVERIFY(machine->start("f", {tensorOf({4}, {1, 2, 3, run + 4.0})}).ok());
    QCOMPARE(machine->run(), MachineStatus::Finished);
    results.push_back(machine->result());
  }
  // A result that is held is not taken for the next run.
  for (size_t run = 0; run < 3; ++run) QCOMPARE(results[run].tensor().at(3), 4.0 * (static_cast<double>(run) + 4));
  QCOMPARE(machine->memory().live(), int64_t{48});
}

void MachineTest::whatIsLentStaysAsItIs() {
  // f(x): x is doubled where it lies, and given back; g(x) gives it back as it is.
  ExecBuilder b;
  for (const char* name : {"f", "g"}) {
    (void)b.beginFunction(name, 1, {"x"});
    if (name == std::string_view("f")) b.emitCall("twice", {Arg::reg(0), Arg::reg(0)}, kVoidRegister);
    b.emitRet(0);
    b.endFunction();
  }
  MachineOptions options;
  options.kernels = std::make_shared<TestKernels>();
  auto machine = *Machine::create(*b.finish(), options);
  float bytes[4] = {1, 2, 3, 4};
  const auto lentNow = [&] {
    return Storage::external(reinterpret_cast<const std::byte*>(bytes), sizeof bytes, nullptr);
  };
  const auto tensor = [](const Ref<Storage>& storage) {
    return Value::of(*HostTensor::view(storage, 0, {4}, DataType::Float(32)));
  };
  for (const char* name : {"f", "g"}) {
    std::vector<Ref<Storage>> lent{lentNow()};
    std::vector<Value> args{tensor(lent[0])};
    QVERIFY(machine->start(name, std::move(args), std::move(lent)).ok());
    QCOMPARE(machine->run(), MachineStatus::Finished);
    QVERIFY(machine->returnLent().ok());
    QCOMPARE(bytes[3], 4.0F);
    const HostTensor& result = machine->result().tensor();
    QVERIFY(result.data() != reinterpret_cast<const std::byte*>(bytes));
    QCOMPARE(result.at(3), name == std::string_view("f") ? 8.0 : 4.0);
  }
  QCOMPARE(machine->memory().live(), int64_t{16});
  // One that is not lent is not written.
  QVERIFY(machine->start("f", {tensor(lentNow())}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  QCOMPARE(machine->fault()->diagnostics[0].rule, std::string("vm.read-only"));
  // Where there is no memory for the copy, there is no result.
  options.limits.maxMemory = 8;
  machine = *Machine::create(Ref<Executable>(&machine->executable()), options);
  std::vector<Ref<Storage>> lent{lentNow()};
  std::vector<Value> args{tensor(lent[0])};
  QVERIFY(machine->start("g", std::move(args), std::move(lent)).ok());
  QCOMPARE(machine->run(), MachineStatus::Finished);
  const auto returned = machine->returnLent();
  QVERIFY(!returned.ok());
  QCOMPARE(returned.diagnostics()[0].rule, std::string("vm.memory-budget"));
  QVERIFY(machine->result().isNull());
}

void MachineTest::aFaultKeepsTheFrame() {
  MachineOptions options;
  options.kernels = std::make_shared<TestKernels>();
  options.record = true;
  auto machine = *Machine::create(reusingProgram("bad"), options);
  QVERIFY(machine->start("f", {tensorOf({4}, {1, 2, 3, 4})}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  QCOMPARE(machine->fault()->pc, size_t{4});
  const Diagnostic& why = machine->fault()->diagnostics[0];
  QCOMPARE(why.rule, std::string("test.bad"));
  QVERIFY(why.notes.at(0).message.starts_with("the call is bad(Tensor((4,), \"float32\")"));
  QCOMPARE(machine->pc(), size_t{4});
  QVERIFY(!machine->lastStep());
}

void MachineTest::recursionNeedsNoStack() {
  MachineOptions options = withMinus();
  options.limits.maxDepth = 200000;
  auto machine = *Machine::create(recursiveProgram(), options);
  QVERIFY(machine->start("loop", {num(100000)}).ok());
  QCOMPARE(machine->run(), MachineStatus::Finished);
  QCOMPARE(machine->result().asInt(), int64_t{42});
}

void MachineTest::budgets() {
  MachineOptions options = withMinus();
  options.limits.maxDepth = 50;
  auto machine = *Machine::create(recursiveProgram(), options);
  QVERIFY(machine->start("loop", {num(100)}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  QCOMPARE(machine->fault()->diagnostics[0].rule, std::string("vm.depth-budget"));
  options.limits.maxDepth = 1000;
  options.limits.maxInstructions = 100;
  machine = *Machine::create(recursiveProgram(), options);
  QVERIFY(machine->start("loop", {num(100)}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  QCOMPARE(machine->fault()->diagnostics[0].rule, std::string("vm.instruction-budget"));
  MachineOptions small;
  small.kernels = std::make_shared<TestKernels>();
  small.limits.maxMemory = 8;
  machine = *Machine::create(reusingProgram(), small);
  QVERIFY(machine->start("f", {tensorOf({4}, {1, 2, 3, 4})}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  QCOMPARE(machine->fault()->diagnostics[0].rule, std::string("vm.memory-budget"));
  QVERIFY(!machine->start("f", {}).ok());
  QVERIFY(!machine->start("g", {}).ok());
}

void MachineTest::shapeErrorsNameEverything() {
  ExecBuilder b;
  (void)b.beginFunction("f", 2, {"x", "y"});
  b.nameHeapSlot(0, "n");
  b.emitCall("vm.builtin.alloc_shape_heap", {Arg::machine(), Arg::imm(1)}, 2);
  b.emitCall("vm.builtin.match_shape",
             {Arg::reg(0), Arg::reg(2), Arg::imm(2), Arg::imm(1), Arg::imm(0), Arg::imm(0), Arg::imm(4),
              b.constant(Value::of(""))},
             kVoidRegister);
  b.emitCall("vm.builtin.match_shape",
             {Arg::reg(1), Arg::reg(2), Arg::imm(2), Arg::imm(3), Arg::imm(0), Arg::imm(0), Arg::imm(4),
              b.constant(Value::of(
                  "ErrorContext(fn=f, loc=param[1], param=y, annotation=R.Tensor((n, 4), dtype=\"float32\")) "))},
             kVoidRegister);
  b.emitRet(1);
  b.endFunction();
  auto machine = *Machine::create(*b.finish(), {});
  QVERIFY(
      machine->start("f", {tensorOf({3, 4}, std::vector<double>(12)), tensorOf({5, 4}, std::vector<double>(20))}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  const Fault& fault = *machine->fault();
  QCOMPARE(fault.parameter, std::string("y"));
  QCOMPARE(fault.symbol, std::string("n"));
  QCOMPARE(fault.boundBy, std::string("x, axis 0"));
  QCOMPARE(fault.diagnostics[0].message, std::string("y, axis 0: n is 3 (bound by x, axis 0), but here it is 5"));
}

void MachineTest::missingFunctionsAreListed() {
  auto result = Machine::create(recursiveProgram(), {});
  QVERIFY(!result.ok());
  QCOMPARE(result.diagnostics().size(), size_t{1});
  QVERIFY(result.diagnostics()[0].message.find("\"minus\"") != std::string::npos);
  QVERIFY(result.diagnostics()[0].message.find("loop") != std::string::npos);
  MachineOptions late;
  late.lateLinking = true;
  auto machine = *Machine::create(recursiveProgram(), late);
  QVERIFY(machine->start("loop", {num(1)}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
}

void MachineTest::filesRoundTrip() {
  for (const Ref<Executable>& exe : {reusingProgram(), recursiveProgram()}) {
    auto bytes = executableBytes(*exe);
    QVERIFY(bytes.ok());
    auto back = parseExecutable(*bytes);
    QVERIFY(back.ok());
    QCOMPARE((*back)->text(), exe->text());
    QVERIFY((*back)->parts().debug == exe->parts().debug);
    QCOMPARE((*back)->registerName(*exe->findFunction(exe->functions()[0].name), 0), exe->registerName(0, 0));
    QVERIFY(executableBytes(**back).value() == *bytes);
  }
}

/// Large ones are used where they lie; a file that names bytes that are not there is refused.
void MachineTest::constantsMayLieBesideTheFile() {
  ExecBuilder b;
  (void)b.beginFunction("f", 1, {"x"});
  const Value small = tensorOf({2}, {1, 2}), large = tensorOf({20, 30}, std::vector<double>(600, 3));
  const Value other = tensorOf({300}, std::vector<double>(300, 5));
  b.emitCall("vm.builtin.make_tuple", {b.constant(large), b.constant(small), b.constant(other)}, 1);
  b.emitRet(1);
  b.endFunction();
  const Ref<Executable> program = *b.finish();
  TensorBlocks blocks;
  const std::string file = *executableBytes(*program, &blocks);
  QCOMPARE(blocks.rows().size(), size_t{2});
  QVERIFY(file.size() < executableBytes(*program)->size() - 2 * 1024);
  const size_t words = (blocks.bytes() + 63) / 64;
  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  const auto lines = std::make_shared<std::vector<Line>>(words);
  auto* const row = reinterpret_cast<std::byte*>(lines->data());
  for (const auto& [at, tensor] : blocks.rows()) {
    QCOMPARE(at % 64, uint64_t{0});
    std::memcpy(row + at, tensor->data(), static_cast<size_t>(tensor->bytes()));
  }
  const std::span<const std::byte> whole(row, blocks.bytes());
  const auto back = parseExecutable(file, {whole, lines});
  QVERIFY(back.ok());
  int placed = 0;
  for (const Value& constant : (*back)->constants()) {
    const std::byte* data = constant.tensor().data();
    const bool inRow = data >= row && data < row + blocks.bytes();
    placed += inRow;
    QCOMPARE(constant.tensor().storage()->writable(), !inRow);
    for (const Value& was : {small, large, other}) {
      if (was.tensor().count() == constant.tensor().count()) QVERIFY(was.tensor().identical(constant.tensor()));
    }
  }
  QCOMPARE(placed, 2);
  for (const auto& bytes : {whole.first(blocks.bytes() - 1), std::span<const std::byte>()}) {
    const auto refused = parseExecutable(file, {bytes, lines});
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diagnostics()[0].rule, std::string("vm.file"));
  }
}

void MachineTest::originsAreInTheFile() {
  DebugSite site;
  site.known = true;
  site.origin = make<Origin>(Array<OriginSite>{OriginSite{"main", 1, 2, "lv", Span{3, 4, 0}}}, Str("FuseOps"));
  ExecBuilder b;
  (void)b.beginFunction("f", 1, {"x"});
  b.setSite(site);
  b.emitCall("vm.builtin.copy", {Arg::reg(0)}, 1);
  b.emitCall("vm.builtin.copy", {Arg::reg(1)}, 2);
  b.setSite({});
  b.emitRet(2);
  b.endFunction();
  const std::string whole = *executableBytes(**b.finish());
  const auto back = parseExecutable(whole);
  QVERIFY(back.ok());
  const Origin* origin = originOf(*(*back)->site(0));
  QVERIFY(origin && origin == originOf(*(*back)->site(1)));
  QVERIFY(!originOf(*(*back)->site(2)));
  QCOMPARE(origin->pass.string(), std::string("FuseOps"));
  QCOMPARE(origin->sites.size(), size_t{1});
  QVERIFY(origin->sites[0] == (OriginSite{"main", 1, 2, "lv", {}}));
  QCOMPARE(origin->sites[0].name.string(), std::string("lv"));
  QVERIFY(origin->sites[0].span == (Span{3, 4, 0}));
  // The number of an origin that is not there is the last thing in the file.
  std::string wrong = whole;
  wrong[wrong.size() - 4] = 2;
  const auto refused = parseExecutable(wrong);
  QVERIFY(!refused.ok());
  QCOMPARE(refused.diagnostics()[0].rule, std::string("vm.file"));
}

/// Of a call that binds nothing.
Ref<Executable> programWithNames() {
  DebugSite site;
  site.known = true;
  site.variable = "_";
  site.from = "lv";
  ExecBuilder b;
  (void)b.beginFunction("f", 1, {"x"});
  b.emitCall("vm.builtin.copy", {Arg::reg(0)}, 1);
  b.setSite(site);
  b.emitCall("vm.builtin.tuple_getitem", {Arg::reg(1), Arg::imm(0)}, 2);
  b.emitRet(2);
  b.endFunction();
  return *b.finish();
}

/// A call that binds nothing is called by the binding that it computes, in a run from the file too, and its debugger is
/// not told that it is that binding.
void MachineTest::callsThatBindNothingHaveAName() {
  const auto made = programWithNames();
  const std::string whole = *executableBytes(*made);
  const auto back = parseExecutable(whole);
  QVERIFY(back.ok());
  QVERIFY((*back)->parts().debug == made->parts().debug);
  QCOMPARE((*back)->site(1)->variable, std::string("_"));
  QCOMPARE((*back)->site(0)->name(), std::string());
  auto machine = *Machine::create(*back, {});
  QVERIFY(machine->start("f", {Value::of(int64_t{1})}).ok());
  QCOMPARE(machine->run(), MachineStatus::Faulted);
  QCOMPARE(machine->fault()->diagnostics[0].context, std::string("f, binding lv, instruction 1"));
  // The number of the instruction: the name and its length are behind it, and nothing else.
  std::string wrong = whole;
  wrong[wrong.size() - 2 * sizeof(uint64_t) - 2] = 9;
  const auto refused = parseExecutable(wrong);
  QVERIFY(!refused.ok());
  QCOMPARE(refused.diagnostics()[0].rule, std::string("vm.file"));
}

/// Every cut of a file, of which those before a section of ours leave a whole one, and every byte changed.
void MachineTest::brokenFilesAreRefused() {
  for (const auto& [program, sections] : {std::pair(reusingProgram(), 1), std::pair(programWithNames(), 2)}) {
    const std::string whole = *executableBytes(*program);
    int read = 0;
    for (size_t cut = 0; cut < whole.size(); ++cut) {
      auto result = parseExecutable(std::string_view(whole).substr(0, cut));
      if (!result.ok()) continue;
      ++read;
      QVERIFY((*result)->parts().debug != program->parts().debug);
    }
    QCOMPARE(read, sections);
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const char flip : {'\x01', '\x40', '\xff'}) {
        std::string broken = whole;
        broken[at] ^= flip;
        auto result = parseExecutable(broken);
        if (!result.ok()) continue;
        MachineOptions options;
        options.kernels = std::make_shared<TestKernels>();
        options.limits = {.maxDepth = 100, .maxInstructions = 1000, .maxMemory = 1 << 20, .memoryFrom = {}};
        auto machine = Machine::create(*result, options);
        if (machine.ok() && (*machine)->start("f", {tensorOf({4}, {1, 2, 3, 4})}).ok()) (*machine)->run();
      }
    }
  }
}

void MachineTest::theVerifierRefuses() {
  auto refused = [](auto&& emit) {
    ExecBuilder b;
    (void)b.beginFunction("f", 1, {"x"});
    emit(b);
    b.endFunction();
    auto result = b.finish();
    return !result.ok() && result.diagnostics()[0].rule == "vm.verify";
  };
  QVERIFY(refused([](ExecBuilder& b) { b.emitRet(3); }));
  QVERIFY(refused([](ExecBuilder& b) { b.emitCall("g", {Arg::reg(0)}, 1); }));
  QVERIFY(refused([](ExecBuilder& b) { b.patch(b.emitGoto(), 7); }));
  QVERIFY(refused([](ExecBuilder& b) {
    b.patch(b.emitIf(0), 1);
    b.emitRet(0);
  }));
  QVERIFY(refused([](ExecBuilder& b) {
    b.emitCall("g", {Arg::constant(4)}, 1);
    b.emitRet(1);
  }));
  QVERIFY(refused([](ExecBuilder& b) {
    b.emitCall("f", {}, 1);
    b.emitRet(1);
  }));
  QVERIFY(!refused([](ExecBuilder& b) { b.emitRet(0); }));
}

void MachineTest::texts() {
  const std::string text = recursiveProgram()->text();
  QVERIFY(text.find("@loop:\n  call  vm.builtin.read_if_cond in: %0           dst: %1\n  If    %1, 5\n") !=
          std::string::npos);
  QVERIFY(text.find("  goto  2\n") != std::string::npos);
  QVERIFY(text.find("@minus packed_func;\n") != std::string::npos);
}

QTEST_APPLESS_MAIN(MachineTest)
#include "tst_machine.moc"
