// Calls that are prepared once for an instruction: they give what the general way gives, and leave to it what they were
// not prepared for.
#include <QTest>
#include <thread>

#include "core/runtime/kernel_host.h"
#include "core/runtime/machine.h"
#include "core/vm/builder.h"

using namespace rx;
using namespace rx::vm;

namespace {

int32_t addOne(void** buffers, const int64_t*, const double*, int64_t*, void*) {
  const auto* x = static_cast<const float*>(buffers[0]);
  auto* y = static_cast<float*>(buffers[1]);
  for (int i = 0; i < 4; ++i) y[i] = x[i] + 1;
  return 0;
}

int32_t failing(void**, const int64_t*, const double*, int64_t*, void* host) {
  static_cast<KernelHost*>(host)->report("kernel.bounds", "index 9 is outside");
  return 1;
}

/// A kernel over two tensors of four numbers, the second of which it writes.
class FourNumbers final : public CompiledKernel {
 public:
  FourNumbers(std::string name, KernelEntry entry) : CompiledKernel(std::move(name)), entry_(entry) {
    for (const bool written : {false, true}) {
      KernelParam param;
      param.declared = true;
      param.written = written;
      param.dtype = DataType::Float(32);
      param.shape = {ShapeProgram::constant(4)};
      param.offset = ShapeProgram::constant(0);
      signature_.params.push_back(std::move(param));
    }
  }
  const KernelSignature& signature() const override { return signature_; }
  Result<KernelEntry> entry() const override {
    if (entry_) return entry_;
    return fail("codegen.unsupported", "it has no machine code");
  }

 private:
  KernelSignature signature_;
  KernelEntry entry_;
};

int32_t addOneToAll(void** buffers, const int64_t* ints, const double*, int64_t*, void*) {
  const auto* x = static_cast<const float*>(buffers[0]);
  auto* y = static_cast<float*>(buffers[1]);
  for (int64_t i = 0; i < ints[0]; ++i) y[i] = x[i] + 1;
  return 0;
}

/// A kernel over two tensors of any number of numbers, the second of which it writes.
class AnyNumbers final : public CompiledKernel {
 public:
  AnyNumbers() : CompiledKernel("any") {
    ShapeProgram length;
    length.add(ShapeOp::Symbol, 0);
    signature_.symbols.push_back({KernelSymbol::Source::Axis, 0, 0, "n"});
    for (const bool written : {false, true}) {
      KernelParam param;
      param.declared = true;
      param.written = written;
      param.dtype = DataType::Float(32);
      param.shape = {length};
      param.offset = ShapeProgram::constant(0);
      signature_.params.push_back(std::move(param));
    }
  }
  const KernelSignature& signature() const override { return signature_; }
  Result<KernelEntry> entry() const override { return addOneToAll; }

 private:
  KernelSignature signature_;
};

std::atomic<int> heapKernelCalls = 0;

int32_t doubleSlot(void** buffers, const int64_t*, const double*, int64_t*, void*) {
  ++heapKernelCalls;
  auto* heap = static_cast<int64_t*>(buffers[0]);
  heap[1] = 2 * heap[0];
  return 0;
}

int32_t doubleSlotAndTell(void** buffers, const int64_t* ints, const double* reals, int64_t* result, void* host) {
  if (static_cast<KernelHost*>(host)->callPacked("told", nullptr, 0) != 0) return 1;
  return doubleSlot(buffers, ints, reals, result, host);
}

/// A kernel that computes the second slot of a shape heap of the first.
class HeapKernel final : public CompiledKernel {
 public:
  HeapKernel(std::string name, KernelEntry entry) : CompiledKernel(std::move(name)), entry_(entry) {
    KernelParam heap;
    heap.declared = heap.written = true;
    heap.dtype = DataType::Int(64);
    heap.shape = {ShapeProgram::constant(2)};
    heap.offset = ShapeProgram::constant(0);
    signature_.params.push_back(std::move(heap));
  }
  const KernelSignature& signature() const override { return signature_; }
  Result<KernelEntry> entry() const override { return entry_; }

 private:
  KernelSignature signature_;
  KernelEntry entry_;
};

class Kernels : public KernelProvider {
 public:
  Result<Ref<Callable>> find(std::string_view name) override {
    if (name == "any") return Ref<Callable>(make<AnyNumbers>());
    if (name == "doubles") return Ref<Callable>(make<HeapKernel>("doubles", doubleSlot));
    if (name == "tells") return Ref<Callable>(make<HeapKernel>("tells", doubleSlotAndTell));
    const std::pair<std::string_view, KernelEntry> known[] = {{"one", addOne}, {"bad", failing}, {"none", nullptr}};
    for (const auto& [called, entry] : known)
      if (name == called) return Ref<Callable>(make<FourNumbers>(std::string(name), entry));
    return Ref<Callable>();
  }
};

struct Form {
  const char* kernel = "one";
  int64_t storage = 16;  ///< bytes
  int64_t count = 4;     ///< numbers of the tensors that are made
  int calls = 6;
  bool intoInput = false;  ///< the first call writes what the function was given
};

/// f(x): a chain of calls, each into a tensor of its own.
Ref<Executable> chain(const Form& form) {
  ExecBuilder b;
  (void)b.beginFunction("f", 1, {"x"});
  Word last = 0, next = 1;
  for (int i = 0; i < form.calls; ++i, next += 2) {
    b.emitCall("vm.builtin.alloc_storage",
               {Arg::machine(), b.constant(Value::shape({form.storage})), Arg::imm(0),
                b.constant(Value::of(DataType::UInt(8))), b.constant(Value::of("global"))},
               next);
    b.emitCall("vm.builtin.alloc_tensor",
               {Arg::reg(next), Arg::imm(0), b.constant(Value::shape({form.count})),
                b.constant(Value::of(DataType::Float(32)))},
               next + 1);
    const Arg into = form.intoInput ? Arg::reg(0) : Arg::reg(next + 1);
    b.emitCall(form.kernel, {Arg::reg(last), into}, kVoidRegister);
    last = next + 1;
  }
  b.emitRet(last);
  b.endFunction();
  return *b.finish();
}

Value input(int64_t count = 4) {
  return Value::of(*HostTensor::fromDoubles({count}, DataType::Float(32), std::vector<double>(size_t(count), 1.0)));
}

/// The rule of the run's fault, or the first number of its result.
std::string outcome(const Form& form, const Value& x, bool record = false) {
  MachineOptions options;
  options.kernels = std::make_shared<Kernels>();
  options.record = record;
  auto machine = *Machine::create(chain(form), std::move(options));
  for (int run = 0; run < 2; ++run) {
    if (!machine->start("f", {x})) return "does not start";
    machine->run();
  }
  if (machine->fault()) return machine->fault()->diagnostics.front().rule;
  return std::to_string(machine->result().tensor().at(3));
}

/// f(x, y), of n and of m numbers, where the heap says that m is n: x + 1 in a tensor of n + `more` numbers.
Ref<Executable> sized(int64_t more = 0) {
  ExecBuilder b;
  (void)b.beginFunction("f", 2, {"x", "y"});
  const Arg text = b.constant(Value::of("")), type = b.constant(Value::of(DataType::Float(32)));
  b.emitCall("vm.builtin.alloc_shape_heap", {Arg::machine(), Arg::imm(2)}, 2);
  for (Word i = 0; i < 2; ++i) {
    b.emitCall("vm.builtin.check_tensor_info", {Arg::reg(i), Arg::imm(1), type, text}, kVoidRegister);
    b.emitCall("vm.builtin.match_shape",
               {Arg::reg(i), Arg::reg(2), Arg::imm(1), Arg::imm(i == 0 ? 1 : 3), Arg::imm(1), text}, kVoidRegister);
  }
  b.emitCall("vm.builtin.make_shape", {Arg::reg(2), Arg::imm(1), Arg::imm(more ? 0 : 1), Arg::imm(more ? more : 1)}, 3);
  b.emitCall("vm.builtin.alloc_storage",
             {Arg::machine(), Arg::reg(3), Arg::imm(0), type, b.constant(Value::of("global"))}, 4);
  b.emitCall("vm.builtin.alloc_tensor", {Arg::reg(4), Arg::imm(0), Arg::reg(3), type}, 5);
  b.emitCall("any", {Arg::reg(0), Arg::reg(5)}, kVoidRegister);
  b.emitCall("vm.builtin.reshape", {Arg::reg(5), Arg::reg(3)}, 6);
  b.emitRet(6);
  b.endFunction();
  return *b.finish();
}

/// What sizedProgram makes.
struct SizedForm {
  const char* heapKernel = "doubles";
  const char* kernel = "any";
  int64_t more = 0;         ///< the tensor has this length; 0: that of the argument
  bool givesShape = false;  ///< the result is a shape that the heap gives
  bool branches = false;    ///< on an immediate, behind which the shape is used that was made before
  bool reuses = false;      ///< a register of a shape held a storage before, which nothing else frees
  bool keepsHeap = false;   ///< a tuple holds the heap
};

/// f(x) of n numbers: x + 1, in storage for 2 n, which a kernel computes of n; g(x, y) is f(y), behind a call of f(x).
Ref<Executable> sizedProgram(const SizedForm& form) {
  ExecBuilder b;
  const Arg text = b.constant(Value::of("")), type = b.constant(Value::of(DataType::Float(32)));
  const Arg scope = b.constant(Value::of("global"));
  (void)b.beginFunction("f", 1, {"x"});
  const auto find = [&](Word at, Word heap, int64_t code) {
    b.emitCall("vm.builtin.match_shape", {Arg::reg(at), Arg::reg(heap), Arg::imm(1), Arg::imm(code), Arg::imm(0), text},
               kVoidRegister);
  };
  b.emitCall("vm.builtin.alloc_shape_heap", {Arg::machine(), Arg::imm(2)}, 1);
  b.emitCall("vm.builtin.check_tensor_info", {Arg::reg(0), Arg::imm(1), type, text}, kVoidRegister);
  find(0, 1, 1);
  b.emitCall(form.heapKernel, {Arg::reg(1)}, kVoidRegister);
  if (form.keepsHeap) b.emitCall("vm.builtin.make_tuple", {Arg::reg(1)}, 7);
  if (form.reuses)
    b.emitCall("vm.builtin.alloc_storage", {Arg::machine(), b.constant(Value::shape({99})), Arg::imm(0), type, scope},
               2);
  b.emitCall("vm.builtin.make_shape", {Arg::reg(1), Arg::imm(1), Arg::imm(1), Arg::imm(1)}, 2);
  b.emitCall("vm.builtin.make_shape", {Arg::reg(1), Arg::imm(1), Arg::imm(form.more ? 0 : 1), Arg::imm(form.more)}, 3);
  if (form.branches) {
    b.emitCall("vm.builtin.make_prim_value", {Arg::reg(1), Arg::imm(1), Arg::imm(0)}, 8);
    const Word jump = b.emitIf(8);
    b.emitCall("vm.builtin.null_value", {}, 8);
    b.patch(jump, b.nextInstruction());
  }
  b.emitCall("vm.builtin.alloc_storage", {Arg::machine(), Arg::reg(2), Arg::imm(0), type, scope}, 4);
  b.emitCall("vm.builtin.alloc_tensor", {Arg::reg(4), Arg::imm(0), Arg::reg(3), type}, 5);
  b.emitCall(form.kernel, {Arg::reg(0), Arg::reg(5)}, kVoidRegister);
  find(5, 1, 3);
  b.emitRet(form.givesShape ? 2 : form.keepsHeap ? 7 : 5);
  b.endFunction();
  (void)b.beginFunction("g", 2, {"x", "y"});
  b.emitCall("f", {Arg::reg(0)}, 2);
  b.emitCall("f", {Arg::reg(1)}, 3);
  b.emitRet(3);
  b.endFunction();
  return *b.finish();
}

/// All that somebody sees of a run behind its end.
std::string seen(const Machine& machine) {
  std::string out = std::to_string(machine.stepCount()) + " steps, " + std::to_string(machine.memory().live()) + " B";
  if (!machine.fault()) return out + ", " + valueText(machine.result());
  for (const Diagnostic& diagnostic : machine.fault()->diagnostics) {
    out += "\n" + diagnostic.rule + " " + diagnostic.message + " " + diagnostic.context;
    for (const auto& note : diagnostic.notes) out += "\n" + note.message;
  }
  for (const Frame& frame : machine.frames()) {
    out += "\n" + std::to_string(frame.pc) + ":";
    for (const Value& value : frame.registers) {
      // A heap holds what an earlier one left until the kernel computed the second slot.
      const bool heap = frame.pc > 3 && value.is(ValueKind::Tensor) && value.tensor().dtype() == DataType::Int(64);
      out += " " + (heap ? valueText(value) : value.summary()) + ";";
    }
  }
  return out;
}

/// Where a machine first behaves at one of its runs as no new one does that is stepped; "" where it never does.
QString differsFromStepped(const SizedForm& form, const MachineLimits& limits = {}) {
  const Ref<Executable> program = sizedProgram(form);
  const auto machineOf = [&] {
    MachineOptions options;
    options.kernels = std::make_shared<Kernels>();
    options.limits = limits;
    auto registry = std::make_shared<PackedRegistry>(PackedRegistry::withBuiltins());
    registry->add("told", makeCallable("told", [](CallContext&, Arguments) -> Result<Value> { return Value(); }));
    options.registry = std::move(registry);
    return *Machine::create(program, std::move(options));
  };
  const auto machine = machineOf();
  std::string differs;
  const auto compare = [&](const char* function, const std::vector<Value>& args) {
    const auto stepped = machineOf();
    if (!machine->start(function, args) || !stepped->start(function, args)) differs = "does not start";
    machine->run();
    while (stepped->status() == MachineStatus::Running) stepped->step();
    const std::string is = seen(*machine), has = seen(*stepped);
    if (differs.empty() && is != has) differs = is + "\ninstead of\n" + has;
  };
  const Value flat = Value::of(*HostTensor::fromInts({4}, DataType::Int(64), std::vector<int64_t>(4)));
  for (int64_t n : {4, 4, 4, 7, 4, 7, 7, 1, 0, 4}) compare("f", {input(n)});
  for (const Value& other : {Value::of(int64_t{3}), flat, Value::shape({4}), flat, input(4)}) compare("f", {other});
  for (int64_t n = 1; n < 20; ++n) compare("g", {input(n / 3), input(n % 4)});
  return QString::fromStdString(differs);
}

/// Whether a builtin makes the call with these arguments ready, and what that call then does. `values` are registers
/// where they are null in `fixed`.
std::optional<PreparedCall::Outcome> readied(const char* builtin, const std::vector<Value>& fixed,
                                             const std::vector<Value>& values, Value& result) {
  std::vector<PlannedArgument> places;
  for (size_t i = 0; i < fixed.size(); ++i)
    places.push_back({fixed[i].isNull() ? nullptr : &fixed[i], static_cast<uint32_t>(i), false});
  const auto registry = PackedRegistry::withBuiltins();
  const auto call = registry.find(builtin)->prepare(places);
  if (!call) return std::nullopt;
  Surroundings around;
  around.memory = std::make_shared<StorageArena>(1 << 20);
  CallContext context(around);
  return call->run(context, {places.data(), values.data()}, result);
}

}  // namespace

class PreparedCallsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void outcomes_data() {
    QTest::addColumn<bool>("record");
    QTest::newRow("plain") << false;
    QTest::newRow("recorded") << true;
  }
  void outcomes() {
    QFETCH(bool, record);
    QCOMPARE(outcome({}, input(), record), std::string("7.000000"));
    QCOMPARE(outcome({"bad"}, input(), record), std::string("kernel.bounds"));
    QCOMPARE(outcome({"none"}, input(), record), std::string("codegen.unsupported"));
    QCOMPARE(outcome({}, input(5), record), std::string("vm.kernel-argument"));
    QCOMPARE(outcome({}, Value::of(int64_t{3}), record), std::string("vm.kernel-argument"));
    QCOMPARE(outcome({.storage = 12, .count = 3}, input(), record), std::string("vm.kernel-argument"));
    QCOMPARE(outcome({.storage = 12}, input(), record), std::string("tensor.view"));
    const float constant[4] = {};
    const auto mapped = Storage::external(reinterpret_cast<const std::byte*>(constant), sizeof constant, nullptr);
    const Value readOnly = Value::of(*HostTensor::view(mapped, 0, {4}, DataType::Float(32)));
    QCOMPARE(outcome({.intoInput = true}, readOnly, record), std::string("vm.read-only"));
    QCOMPARE(outcome({}, readOnly, record), std::string("6.000000"));
  }

  /// Calls of one function share what is prepared where they differ in registers alone: not with another offset.
  void callsOfOtherArguments() {
    ExecBuilder b;
    (void)b.beginFunction("f", 1, {"x"});
    b.emitCall("vm.builtin.alloc_storage",
               {Arg::machine(), b.constant(Value::shape({64})), Arg::imm(0), b.constant(Value::of(DataType::UInt(8))),
                b.constant(Value::of("global"))},
               1);
    for (Word i = 0; i < 4; ++i) {
      b.emitCall("vm.builtin.alloc_tensor",
                 {Arg::reg(1), Arg::imm(16 * (i % 3)), b.constant(Value::shape({4})),
                  b.constant(Value::of(DataType::Float(32)))},
                 2 + i);
      b.emitCall("one", {Arg::reg(i == 0 ? 0 : 1 + i), Arg::reg(2 + i)}, kVoidRegister);
    }
    b.emitRet(5);
    b.endFunction();
    MachineOptions options;
    options.kernels = std::make_shared<Kernels>();
    auto machine = *Machine::create(*b.finish(), std::move(options));
    QVERIFY(machine->start("f", {input()}).ok());
    while (machine->pc() < 7) machine->step();
    QCOMPARE(machine->top().registers[3].tensor().byteOffset(), 16);
    QCOMPARE(machine->top().registers[4].tensor().byteOffset(), 32);
    QCOMPARE(machine->run(), MachineStatus::Finished);
    // The fourth lies where the first did.
    QCOMPARE(machine->result().tensor().byteOffset(), 0);
    QCOMPARE(machine->result().tensor().at(0), 5.0);
  }

  /// The sizes of a call are filled in, however many runs came before and of whatever size they were.
  void sizesOfEachRun() {
    for (const bool record : {false, true}) {
      MachineOptions options;
      options.kernels = std::make_shared<Kernels>();
      options.record = record;
      auto machine = *Machine::create(sized(), std::move(options));
      for (const int64_t n : {4, 7, 7, 1, 0, 300}) {
        QVERIFY(machine->start("f", {input(n), input(n)}).ok());
        QCOMPARE(machine->run(), MachineStatus::Finished);
        const HostTensor& made = machine->result().tensor();
        QCOMPARE(made.shape(), std::vector<int64_t>{n});
        for (int64_t i = 0; i < n; ++i) QCOMPARE(made.at(i), 2.0);
      }
      QVERIFY(machine->start("f", {input(4), input(5)}).ok());
      QCOMPARE(machine->run(), MachineStatus::Faulted);
      QCOMPARE(machine->fault()->diagnostics.front().rule, std::string("vm.shape-mismatch"));
    }
    MachineOptions options;
    options.kernels = std::make_shared<Kernels>();
    auto machine = *Machine::create(sized(9), std::move(options));
    QVERIFY(machine->start("f", {input(8), input(8)}).ok());
    machine->run();
    QVERIFY(machine->fault());
    QCOMPARE(machine->fault()->diagnostics.front().rule, std::string("vm.kernel-argument"));
  }

  /// Builtins of shapes make ready what their instruction fixes; of what does not fit they have done nothing.
  void builtinsOfShapes() {
    const auto number = [](int64_t value) { return Value::of(value); };
    const Value heap = Value::of(*HostTensor::fromInts({2}, DataType::Int(64), std::vector<int64_t>{5, 6}));
    const Value null, text = Value::of("");
    const std::vector<Value> square{null, null, number(2), number(1), number(0), number(3), number(0), text};
    Value result;
    const auto matched = [&](std::vector<int64_t> shape) {
      return readied("vm.builtin.match_shape", square, {Value::shape(std::move(shape)), heap}, result);
    };
    QCOMPARE(matched({3, 4}), PreparedCall::Outcome::Unfit);
    QCOMPARE(matched({5}), PreparedCall::Outcome::Unfit);
    QCOMPARE(heap.tensor().intAt(0), 5);
    QCOMPARE(matched({3, 3}), PreparedCall::Outcome::Done);
    QCOMPARE(heap.tensor().intAt(0), 3);
    const std::vector<Value> made{null, number(3), number(1), number(1), number(0), number(-7), number(1), number(0)};
    QCOMPARE(readied("vm.builtin.make_shape", made, {heap}, result), PreparedCall::Outcome::Done);
    QCOMPARE(result.asShape(), (std::vector<int64_t>{6, -7, 3}));
    // A slot that the heap does not have, and codes that nobody knows.
    const std::vector<Value> beyond{null, number(1), number(1), number(2)},
        unknown{null, number(1), number(2), number(0)};
    QCOMPARE(readied("vm.builtin.make_shape", beyond, {heap}, result), PreparedCall::Outcome::Unfit);
    QVERIFY(!readied("vm.builtin.make_shape", unknown, {heap}, result));
    // Numbers as dimensions: the heap holds 3 and 6.
    const auto numberMatched = [&](int64_t value, int64_t code, int64_t operand) {
      return readied("vm.builtin.match_prim_value", {null, null, number(code), number(operand), text},
                     {number(value), heap}, result);
    };
    QCOMPARE(numberMatched(6, 3, 1), PreparedCall::Outcome::Done);
    QCOMPARE(numberMatched(5, 3, 1), PreparedCall::Outcome::Unfit);
    QCOMPARE(numberMatched(5, 0, 4), PreparedCall::Outcome::Unfit);
    QCOMPARE(numberMatched(5, 1, 2), PreparedCall::Outcome::Unfit);
    QCOMPARE(numberMatched(9, 1, 1), PreparedCall::Outcome::Done);
    QVERIFY(!numberMatched(9, 4, 1));
    QCOMPARE(readied("vm.builtin.make_prim_value", {null, number(1), number(1)}, {heap}, result),
             PreparedCall::Outcome::Done);
    QCOMPARE(result.asInt(), 9);
    QCOMPARE(readied("vm.builtin.make_prim_value", {null, number(0), number(8)}, {null}, result),
             PreparedCall::Outcome::Done);
    QCOMPARE(result.asInt(), 8);
    QVERIFY(
        !readied("vm.builtin.match_shape", {null, null, number(1), number(1), number(-1), text}, {heap, heap}, result));
  }

  /// A function that comes with sizes that it had before leaves out what they decide, and nobody can tell.
  void sizesThatCameBefore() {
    QCOMPARE(differsFromStepped({}), QString());
    QCOMPARE(differsFromStepped({.kernel = "bad"}), QString());
    QCOMPARE(differsFromStepped({.more = 9}), QString());
    QCOMPARE(differsFromStepped({.givesShape = true}), QString());
    QCOMPARE(differsFromStepped({.branches = true}), QString());
    QCOMPARE(differsFromStepped({.reuses = true}, {.maxMemory = 420, .memoryFrom = {}}), QString());
    QCOMPARE(differsFromStepped({.keepsHeap = true}), QString());
    QCOMPARE(differsFromStepped({.heapKernel = "tells"}), QString());
    QCOMPARE(differsFromStepped({}, {.maxMemory = 60, .memoryFrom = {}}), QString());
    QCOMPARE(differsFromStepped({}, {.maxInstructions = 9, .memoryFrom = {}}), QString());
    for (const bool tells : {false, true}) {
      MachineOptions options;
      options.kernels = std::make_shared<Kernels>();
      auto registry = std::make_shared<PackedRegistry>(PackedRegistry::withBuiltins());
      int told = 0;
      registry->add("told", makeCallable("told", [&told](CallContext&, Arguments) -> Result<Value> {
                      ++told;
                      return Value();
                    }));
      options.registry = std::move(registry);
      auto machine = *Machine::create(sizedProgram({.heapKernel = tells ? "tells" : "doubles"}), std::move(options));
      heapKernelCalls = 0;
      for (int run = 0; run < 5; ++run) {
        QVERIFY(machine->start("f", {input()}).ok());
        QCOMPARE(machine->run(), MachineStatus::Finished);
      }
      // The second run finds that the sizes came before, and what they decide. What has effects runs each time.
      QCOMPARE(heapKernelCalls.load(), tells ? 5 : 2);
      QCOMPARE(told, tells ? 5 : 0);
    }
  }

  /// Of one program and one provider, each on a thread of its own.
  void machinesSideBySide() {
    const auto executable = chain({.calls = 200});
    const auto kernels = std::make_shared<Kernels>();
    std::vector<double> results(4);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < results.size(); ++i)
      threads.emplace_back([&, i] {
        MachineOptions options;
        options.kernels = kernels;
        auto machine = *Machine::create(executable, std::move(options));
        for (int run = 0; run < 50; ++run) {
          if (!machine->start("f", {input()})) return;
          machine->run();
        }
        if (!machine->fault()) results[i] = machine->result().tensor().at(0);
      });
    for (std::thread& thread : threads) thread.join();
    for (const double result : results) QCOMPARE(result, 201.0);
  }
};

QTEST_APPLESS_MAIN(PreparedCallsTest)
#include "tst_prepared_calls.moc"
