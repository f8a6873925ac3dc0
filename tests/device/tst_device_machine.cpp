// A machine whose kernels run on devices, over the double of a driver with two of them:
//
//   def main(x):                # x comes in host memory
//     a = plus(x, c)            # on the first device, where the constant c was copied to
//     b = to_device(a)          # on the second one
//     d = twice(b)              # there
//     e = negate(d)             # on the host, into memory of the second device
//     return (e, a)
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/debug/machine_history.h"
#include "core/debug/session.h"
#include "core/device/device.h"
#include "core/tensor/tensor_text.h"
#include "core/vm/builder.h"
#include "tests/device/loaded_double.h"

using namespace rx;
using namespace rx::vm;

namespace {

using cuda_double::control;

constexpr size_t kBytes = 2 * sizeof(float);

/// The two numbers behind an argument, null where the address is none.
float* numbers(const cuda_double::Launch& launch, size_t argument) {
  uint64_t address = 0;
  std::memcpy(&address, launch.arguments[argument], sizeof address);
  return reinterpret_cast<float*>(launch.memory(address, kBytes));
}

int plus(const cuda_double::Launch& launch) {
  const float *a = numbers(launch, 0), *b = numbers(launch, 1);
  float* out = numbers(launch, 2);
  for (int i = 0; i < 2 && a && b && out; ++i) out[i] = a[i] + b[i];
  return 0;
}
int twice(const cuda_double::Launch& launch) {
  const float* a = numbers(launch, 0);
  float* out = numbers(launch, 1);
  for (int i = 0; i < 2 && a && out; ++i) out[i] = 2 * a[i];
  return 0;
}

/// A kernel that takes tensors of one device and writes the last.
class DeviceKernel final : public Callable {
 public:
  DeviceKernel(std::string name, std::shared_ptr<device::Program> program, int32_t device, size_t parameters)
      : name_(std::move(name)), program_(std::move(program)), device_(device), parameters_(parameters) {}
  std::string_view name() const override { return name_; }
  std::optional<int32_t> reaches(size_t) const override { return device_; }
  bool mayWrite(size_t argument) const override { return argument + 1 == parameters_; }
  Result<Value> call(CallContext&, Arguments args) const override {
    std::vector<device::LaunchArgument> arguments;
    for (const Value& value : args) arguments.push_back(device::addressArgument(value.tensor().handle()));
    RX_CHECK(program_->launch(0, {{1, 1, 1}, {2, 1, 1}, 0}, arguments));
    return Value();
  }

 private:
  std::string name_;
  std::shared_ptr<device::Program> program_;
  int32_t device_;
  size_t parameters_;
};

Result<Value> negate(CallContext&, Arguments args) {
  for (int64_t i = 0; i < 2; ++i) args[1].tensor().set(i, -args[0].tensor().at(i));
  return Value();
}

class Kernels : public KernelProvider {
 public:
  explicit Kernels(std::vector<std::shared_ptr<device::Device>> devices) : devices_(std::move(devices)) {}
  Result<Ref<Callable>> find(std::string_view name) override {
    if (name == "plus") return kernel("plus", 0, 3);
    if (name == "twice") return kernel("twice", 1, 2);
    if (name == "negate") return makeCallable("negate", negate);
    return Ref<Callable>();
  }
  std::vector<RunDevice> devices() const override {
    std::vector<RunDevice> rows;
    for (const auto& device : devices_)
      rows.push_back(
          {.type = 2, .number = device->properties().number, .device = device, .endWaits = [device](auto cancelled) {
             device->endWaits(std::move(cancelled));
           }});
    return rows;
  }

 private:
  Result<Ref<Callable>> kernel(const std::string& name, int32_t device, size_t parameters) {
    RX_TRY(program, devices_[static_cast<size_t>(device)]->program("ptx of " + name, {name}));
    return Ref<Callable>(make<DeviceKernel>(name, std::move(program), device, parameters));
  }
  std::vector<std::shared_ptr<device::Device>> devices_;
};

constexpr Word kA = 2, kB = 3, kD = 5, kE = 7;

Ref<Executable> program() {
  ExecBuilder b;
  (void)b.beginFunction("main", 1, {"x"});
  const auto tensorOn = [&](int64_t device, Word storage, Word tensor) {
    b.emitCall("vm.builtin.alloc_storage",
               {Arg::machine(), b.constant(Value::shape({int64_t{kBytes}})), Arg::imm(device),
                b.constant(Value::of(DataType::UInt(8))), b.constant(Value::of("global"))},
               storage);
    b.emitCall(
        "vm.builtin.alloc_tensor",
        {Arg::reg(storage), Arg::imm(0), b.constant(Value::shape({2})), b.constant(Value::of(DataType::Float(32)))},
        tensor);
  };
  const auto c = b.constant(Value::of(*HostTensor::fromDoubles({2}, DataType::Float(32), std::vector{10.0, 20.0})));
  tensorOn(0, 1, kA);
  b.emitCall("plus", {Arg::reg(0), c, Arg::reg(kA)}, kVoidRegister);
  b.emitCall("vm.builtin.to_device", {Arg::reg(kA), Arg::imm(2), Arg::imm(1)}, kB);
  tensorOn(1, 4, kD);
  b.emitCall("twice", {Arg::reg(kB), Arg::reg(kD)}, kVoidRegister);
  tensorOn(1, 6, kE);
  b.emitCall("negate", {Arg::reg(kD), Arg::reg(kE)}, kVoidRegister);
  b.emitCall("vm.builtin.make_tuple", {Arg::reg(kE), Arg::reg(kA)}, 8);
  b.emitRet(8);
  b.nameRegister(kD, "d");
  b.endFunction();
  return *b.finish();
}

Value input() { return Value::of(*HostTensor::fromDoubles({2}, DataType::Float(32), std::vector{1.0, 2.0})); }

size_t callsOf(const char* symbol) {
  const auto calls = control().calls();
  return static_cast<size_t>(std::count(calls.begin(), calls.end(), symbol));
}

Result<std::unique_ptr<Machine>> machine(MachineOptions options = {}) {
  RX_TRY(devices, device::devicesOf(*device::findKind("cuda"), RX_BINARY_DIR "/tests/cuda_double.so"));
  options.kernels = std::make_shared<Kernels>(std::move(devices));
  return Machine::create(program(), std::move(options));
}

std::unique_ptr<Machine> started(MachineOptions options = {}) {
  auto made = machine(std::move(options));
  RX_ASSERT(made.ok(), "{}", made.diagnostics().front().message);
  RX_ASSERT((*made)->start("main", {input()}).ok(), "main takes a tensor");
  return std::move(*made);
}

MachineOptions recording() {
  MachineOptions options;
  options.record = true;
  return options;
}

std::string placeOf(const Value& value) {
  return value.is(ValueKind::Tensor) && value.tensor().device() ? value.tensor().device()->name() : "";
}

}  // namespace

class DeviceMachineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    control().reset();
    control().setDevices(2);
    control().add("ptx of plus", "plus", 3, plus);
    control().add("ptx of twice", "twice", 2, twice);
  }
  void runs();
  void valuesLieWhereTheyWereMade();
  void constantsAreCopiedOnce();
  void faultsAreTheInstructions();
  void faultsOfAPlainRun();
  void cancelledWhileAKernelRuns();
  void memoryIsShort();
  void budget();
  void recordedAndSteppedBack();
  void valuesAreChanged();
  void lostWhileRecorded();
};

void DeviceMachineTest::runs() {
  {
    auto run = started();
    QCOMPARE(run->run(), MachineStatus::Finished);
    const auto& items = run->result().asTuple();
    QCOMPARE(tensorText(items[0].tensor()), std::string("[-22. -44.]"));
    QCOMPARE(tensorText(items[1].tensor()), std::string("[11. 22.]"));
    for (const Value& item : items) QCOMPARE(placeOf(item), std::string());
    // Again, in memory that is kept.
    const size_t blocks = callsOf("cuMemAlloc_v2");
    QVERIFY(run->start("main", {input()}).ok());
    QCOMPARE(run->run(), MachineStatus::Finished);
    QVERIFY(callsOf("cuMemAlloc_v2") <= blocks + 1);
  }
  QCOMPARE(control().blocks(), size_t{0});
}

void DeviceMachineTest::valuesLieWhereTheyWereMade() {
  auto run = started();
  QCOMPARE(placeOf(run->top().registers[0]), std::string("cuda:0"));
  for (int step = 0; step < 5; ++step) run->step();
  const auto& registers = run->top().registers;
  QCOMPARE(registers[4].summary(), std::string("storage, 8 B on cuda:1"));
  for (int step = 5; step < 7; ++step) run->step();
  QCOMPARE(placeOf(registers[kB]), std::string("cuda:1"));
  QCOMPARE(placeOf(registers[kD]), std::string("cuda:1"));
  QCOMPARE(registers[kD].summary(), std::string("Tensor((2,), \"float32\") on cuda:1"));
  QCOMPARE(tensorText(registers[kD].tensor()), std::string("[22. 44.]"));
}

void DeviceMachineTest::constantsAreCopiedOnce() {
  auto run = started();
  const size_t before = callsOf("cuMemcpyHtoD_v2");
  QCOMPARE(before, size_t{2});  // the constant and the input
  run->run();
  // From device to device, and what the host's function, of which nothing is known, may have written.
  QCOMPARE(callsOf("cuMemcpyHtoD_v2"), before + 3);
}

void DeviceMachineTest::faultsAreTheInstructions() {
  control().add("ptx of twice", "twice", 2, [](const cuda_double::Launch&) { return 700; });
  auto run = started(recording());
  QCOMPARE(run->run(), MachineStatus::Faulted);
  QCOMPARE(
      run->executable().function(static_cast<size_t>(run->executable().instruction(run->fault()->pc).function)).name,
      std::string("twice"));
  const Diagnostic& why = run->fault()->diagnostics.front();
  QCOMPARE(why.rule, std::string("device.fault"));
  QVERIFY(std::any_of(why.notes.begin(), why.notes.end(), [](const DiagnosticNote& note) {
    return note.message.find("twice(") != std::string::npos && note.message.find("(2, 1, 1)") != std::string::npos;
  }));
}

void DeviceMachineTest::faultsOfAPlainRun() {
  control().add("ptx of twice", "twice", 2, [](const cuda_double::Launch&) { return 702; });
  auto run = started();
  QCOMPARE(run->run(), MachineStatus::Faulted);
  QCOMPARE(run->fault()->diagnostics.front().rule, std::string("device.timeout"));
}

/// What waits for a kernel ends by the wish to cancel.
void DeviceMachineTest::cancelledWhileAKernelRuns() {
  control().add("ptx of twice", "twice", 2, [](const cuda_double::Launch&) { return cuda_double::kHangs; });
  std::atomic<bool> stop = false;
  MachineOptions options;
  options.stop = &stop;
  auto run = started(std::move(options));
  std::thread wish([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  QCOMPARE(run->run(), MachineStatus::Faulted);
  wish.join();
  const Diagnostic& why = run->fault()->diagnostics.front();
  QCOMPARE(why.rule, std::string("vm.cancelled"));
  QVERIFY(why.message.find("runs on") != std::string::npos);
  QVERIFY(!why.context.empty());
}

void DeviceMachineTest::memoryIsShort() {
  control().setMemory(256);
  auto made = machine();
  QVERIFY(made.ok());  // the constant has room
  auto start = (*made)->start("main", {input()});
  QVERIFY(!start.ok());
  QCOMPARE(start.diagnostics().front().rule, std::string("device.memory"));
  made->reset();
  control().setMemory(255);
  auto none = machine();
  QVERIFY(!none.ok());
  QCOMPARE(none.diagnostics().front().rule, std::string("device.memory"));
}

void DeviceMachineTest::budget() {
  MachineOptions options;
  options.limits.maxMemory = 16;  // of each place: the constant and the input
  auto run = started(std::move(options));
  QCOMPARE(run->run(), MachineStatus::Faulted);
  QCOMPARE(run->fault()->diagnostics.front().rule, std::string("vm.memory-budget"));
}

void DeviceMachineTest::recordedAndSteppedBack() {
  auto run = started(recording());
  debug::Program rows = debug::programOf(run->executable(), {});
  rows.stages = {debug::stageOfSites(rows, "imported")};
  QTemporaryDir folder;
  const std::string path = folder.filePath("run.rxtrace").toStdString();
  auto history = debug::MachineHistory::create(std::move(run), std::move(rows), {path});
  QVERIFY(history.ok());
  while ((*history)->canAdvance()) (*history)->advance();
  // Before and behind `twice`.
  for (const auto& [state, text] : {std::pair{6, "[-431602080. -431602080.]"}, std::pair{7, "[22. 44.]"}}) {
    const debug::Value value = (*history)->registerAt(state, 0, kD);
    QCOMPARE(value.place, std::string("cuda:1"));
    QCOMPARE(debug::valueText(value), std::string("Tensor((2,), float32) on cuda:1"));
    QCOMPARE(tensorText(*value.tensor), std::string(text));
  }
  history->reset();
  auto later = debug::Recording::open(path);
  QVERIFY(later.ok());
  QCOMPARE((*later)->program().devices, (std::vector<std::string>{"cuda:0", "cuda:1"}));
  const auto value = (*later)->valueAt({7, 0, uint32_t{kD}});
  QVERIFY(value.ok());
  QCOMPARE(value->place, std::string("cuda:1"));
  QCOMPARE(tensorText(*value->tensor), std::string("[22. 44.]"));
}

void DeviceMachineTest::valuesAreChanged() {
  auto run = started(recording());
  debug::Program rows = debug::programOf(run->executable(), {});
  rows.stages = {debug::stageOfSites(rows, "imported")};
  auto history = *debug::MachineHistory::create(std::move(run), std::move(rows), {});
  for (int step = 0; step < 7; ++step) history->advance();
  const float number = 5;
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  QVERIFY(history->change({0, kD, {}, debug::MemoryPatch{4, {bytes, bytes + sizeof number}}}).ok());
  QCOMPARE(tensorText(*history->registerAt(7, 0, kD).tensor), std::string("[22. 5.]"));
  while (history->canAdvance()) history->advance();
  const debug::Value e = history->registerAt(10, 0, kE);
  QCOMPARE(tensorText(*e.tensor), std::string("[-22. -5.]"));
}

void DeviceMachineTest::lostWhileRecorded() {
  auto run = started(recording());
  debug::Program rows = debug::programOf(run->executable(), {});
  rows.stages = {debug::stageOfSites(rows, "imported")};
  QTemporaryDir folder;
  const std::string path = folder.filePath("run.rxtrace").toStdString();
  auto history = *debug::MachineHistory::create(std::move(run), std::move(rows), {path});
  for (int step = 0; step < 6; ++step) history->advance();
  control().failNext("cuLaunchKernel", 46);
  while (history->canAdvance()) history->advance();
  QCOMPARE(history->end(), debug::RunEnd::Failed);
  // The steps before are there.
  QCOMPARE(tensorText(*history->registerAt(4, 0, kB).tensor), std::string("[11. 22.]"));
}

QTEST_GUILESS_MAIN(DeviceMachineTest)
#include "tst_device_machine.moc"
