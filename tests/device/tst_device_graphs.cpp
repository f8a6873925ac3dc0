// Parts of a program that a device runs as a whole (RewriteCUDAGraph), over the double of the CUDA driver.
#include <QtTest>

#include "core/runtime/machine.h"
#include "tests/device/interpreted_kernel.h"
#include "tests/device/loaded_double.h"
#include "tests/support/compiled_text.h"

using namespace rx;

class TestDeviceGraphs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void capturesOnceAndReplays();
  void capturesOtherSizesAnew();
  void runsPlainlyElsewhere_data();
  void runsPlainlyElsewhere();
  void faultsWhileItCaptures_data();
  void faultsWhileItCaptures();
  void faultsOfTheWork();
};

namespace {

constexpr const char* kCuda = "cuda -arch=sm_80";

using cuda_double::control;

/// What p1 alone decides, of so many rows, is the same in every run, and in the same place.
std::string weights(const std::string& rows) {
  const std::string symbols =
      rows == "6" ? ""
                  : R"(, "tir_var_upper_bound": {"n": 16}, "relax.rewrite_cuda_graph.capture_symbolic_vars": ["n"])";
  return R"(
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(p0: R.Tensor((6,), "float32"), p1: R.Tensor(()" +
         rows + R"(,), "float32")):
        R.func_attr({"num_input": 1)" +
         symbols + R"(})
        with R.dataflow():
            a = R.exp(p1)
            b = R.add(a, p1)
            c = R.multiply(b, b)
            d = R.sum(c)
            e = R.multiply(p0, d)
            R.output(e)
        return e
)";
}

/// As the default pipeline, with graphs.
constexpr const char* kPasses =
    "LegalizeOps(), RewriteDataflowReshape(), ToNonDataflow(), RemovePurityChecking(), CallTIRRewrite(), "
    "StaticPlanBlockMemory(), RewriteCUDAGraph(enable=True), LowerAllocTensor(), KillAfterLastUse(), "
    "LowerRuntimeBuiltin(), ComputePrimValue(), VMShapeLower(), AttachGlobalSymbol()";

struct Runner {
  compile::Program program;
  std::unique_ptr<vm::Machine> machine;

  static Result<Runner> of(const std::string& text, const std::string& target, bool record = false) {
    Runner made;
    RX_TRY(program, test::programOf(text, target, kPasses));
    made.program = std::move(program);
    const codegen::DeviceOptions options{made.program.request.target, made.program.request.checked, {}, {}};
    if (target == kCuda) RX_CHECK(cuda_double::addModule(control(), made.program.module, options));
    RX_TRY(kernels, compile::kernelsOf(made.program, {}, nullptr));
    vm::MachineOptions machine;
    machine.kernels = kernels;
    machine.record = record;
    RX_TRY(ready, vm::Machine::create(made.program.executable, std::move(machine)));
    made.machine = std::move(ready);
    return made;
  }

  Result<Ref<HostTensor>> run(int64_t size = 6) {
    RX_TRY(arguments, test::argumentsOf(program, size));
    RX_CHECK(machine->start("main", std::move(arguments)));
    machine->run();
    if (machine->fault()) return fail(machine->fault()->diagnostics);
    return machine->result().tensor().copy();
  }
};

int64_t callsOf(const char* symbol) {
  const auto calls = control().calls();
  return std::count(calls.begin(), calls.end(), symbol);
}

void compareWith(const Result<Ref<HostTensor>>& got, const Ref<HostTensor>& want) {
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QCOMPARE((*got)->count(), want->count());
  for (int64_t i = 0; i < want->count(); ++i)
    QVERIFY2(std::abs((*got)->at(i) - want->at(i)) <= 1e-4 * (1 + std::abs(want->at(i))),
             qPrintable(QString("%1 and %2").arg((*got)->at(i)).arg(want->at(i))));
}

}  // namespace

void TestDeviceGraphs::init() { control().reset(); }

void TestDeviceGraphs::capturesOnceAndReplays() {
  auto host = Runner::of(weights("6"), "llvm");
  QVERIFY2(host, host ? "" : host.diagnostics()[0].message.c_str());
  const auto want = host->run();
  QVERIFY(want);
  auto device = Runner::of(weights("6"), kCuda);
  QVERIFY2(device, device ? "" : device.diagnostics()[0].message.c_str());
  // Arguments are copied to where there is room, so that there are a few ways to call the same.
  constexpr int kEnough = 12;
  compareWith(device->run(), *want);
  QCOMPARE(callsOf("cuStreamBeginCapture_v2"), 0);
  for (int i = 1; i < kEnough; ++i) compareWith(device->run(), *want);
  const int64_t captured = callsOf("cuStreamBeginCapture_v2"), launched = callsOf("cuLaunchKernel");
  QVERIFY(captured > 0);
  QCOMPARE(callsOf("cuStreamEndCapture"), captured);
  QCOMPARE(callsOf("cuGraphInstantiate_v2"), captured);
  const int64_t replayed = callsOf("cuGraphLaunch");
  compareWith(device->run(), *want);
  QCOMPARE(callsOf("cuStreamBeginCapture_v2"), captured);
  QVERIFY(callsOf("cuGraphLaunch") > replayed);
  // What is captured is no launch of its own any more.
  const int64_t ofOneRun = callsOf("cuLaunchKernel") - launched;
  QVERIFY2(ofOneRun > 0 && ofOneRun < 4, qPrintable(QString::number(ofOneRun)));
}

void TestDeviceGraphs::capturesOtherSizesAnew() {
  auto device = Runner::of(weights("\"n\""), kCuda);
  auto host = Runner::of(weights("\"n\""), "llvm");
  QVERIFY2(device, device ? "" : device.diagnostics()[0].message.c_str());
  QVERIFY(host);
  int64_t captured = 0;
  for (const int64_t size : {3, 9}) {
    const auto want = host->run(size);
    QVERIFY(want);
    for (int i = 0; i < 12; ++i) compareWith(device->run(size), *want);
    QVERIFY(callsOf("cuStreamBeginCapture_v2") > captured);
    captured = callsOf("cuStreamBeginCapture_v2");
    compareWith(device->run(size), *want);
    QCOMPARE(callsOf("cuStreamBeginCapture_v2"), captured);
  }
}

void TestDeviceGraphs::runsPlainlyElsewhere_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<bool>("record");
  QTest::newRow("a device that captures nothing") << "opencl" << false;
  QTest::newRow("the host") << "llvm" << false;
  QTest::newRow("steps that are recorded") << kCuda << true;
}

void TestDeviceGraphs::runsPlainlyElsewhere() {
  QFETCH(QString, target);
  QFETCH(bool, record);
  auto host = Runner::of(weights("6"), "llvm");
  QVERIFY(host);
  const auto want = host->run();
  QVERIFY(want);
  auto other = Runner::of(weights("6"), target.toStdString(), record);
  QVERIFY2(other, other ? "" : other.diagnostics()[0].message.c_str());
  for (int i = 0; i < 4; ++i) compareWith(other->run(), *want);
  QCOMPARE(callsOf("cuStreamBeginCapture_v2"), 0);
}

void TestDeviceGraphs::faultsWhileItCaptures_data() {
  QTest::addColumn<QString>("call");
  QTest::addColumn<int>("code");
  QTest::addColumn<QString>("rule");
  QTest::newRow("it does not begin") << "cuStreamBeginCapture_v2" << 900 << "device.capture";
  QTest::newRow("a part is none") << "cuMemsetD8Async" << 906 << "device.capture";
  QTest::newRow("it does not end") << "cuStreamEndCapture" << 901 << "device.capture";
  QTest::newRow("no memory for it") << "cuGraphInstantiate_v2" << 2 << "device.memory";
}

/// The run ends with what the driver said, and the next one is whole.
void TestDeviceGraphs::faultsWhileItCaptures() {
  QFETCH(QString, call);
  QFETCH(int, code);
  QFETCH(QString, rule);
  auto device = Runner::of(weights("6"), kCuda);
  QVERIFY2(device, device ? "" : device.diagnostics()[0].message.c_str());
  const auto want = device->run();
  QVERIFY(want);
  control().failNext(call.toStdString(), code);
  bool failed = false;
  for (int i = 0; i < 12; ++i) {
    const auto got = device->run();
    if (got) {
      compareWith(got, *want);
      continue;
    }
    QVERIFY(!failed);
    failed = true;
    QCOMPARE(QString::fromStdString(got.diagnostics()[0].rule), rule);
    QVERIFY(!got.diagnostics()[0].fix.empty() || rule != "device.capture");
  }
  QVERIFY(failed);
  QVERIFY(callsOf("cuGraphLaunch") > 0);
}

void TestDeviceGraphs::faultsOfTheWork() {
  auto device = Runner::of(weights("6"), kCuda);
  QVERIFY(device);
  QVERIFY(device->run());
  control().failNext("cuGraphLaunch", 700);
  bool failed = false;
  for (int i = 0; i < 12 && !failed; ++i) {
    const auto got = device->run();
    if (got) continue;
    failed = true;
    QCOMPARE(got.diagnostics()[0].rule, std::string("device.fault"));
  }
  QVERIFY(failed);
}

QTEST_GUILESS_MAIN(TestDeviceGraphs)
#include "tst_device_graphs.moc"
