// Functions on devices: a real one of OpenCL, and the double of the CUDA driver. They compute what the interpreter
// computes, and fail where it fails.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>

#include "core/device/device.h"
#include "core/ir/all_nodes.h"
#include "core/tensor/stats.h"
#include "tests/device/device_modules.h"
#include "tests/device/device_results.h"
#include "tests/device/loaded_double.h"
#include "tests/support/compiled_text.h"
#include "tests/support/program.h"

using namespace rx;
using rx::test::argumentsOf;
using rx::test::programOf;

class TestDeviceFunctions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void computesTheSame_data();
  void computesTheSame();
  void scheduledAsOnDevices_data();
  void scheduledAsOnDevices();
  void productsRoundOnce_data();
  void productsRoundOnce();
  void dispatched_data();
  void dispatched();
  void ofKernels_data();
  void ofKernels();
  void threadsShareMemory_data();
  void threadsShareMemory();
  void warpsMoveValues_data();
  void warpsMoveValues();
  void partsOnSeveralDevices_data();
  void partsOnSeveralDevices();
  void missingDevice();
  void endsWithAFault_data();
  void endsWithAFault();
  void faultWordsAreRead();
  void faultsOfTheDriver_data();
  void faultsOfTheDriver();
  void sharesTooMuch();
  void memoryWhoseSizeDivides();
  void kernelThatHangs();
  void roundingIsInherited();
  void saysWhatRunsOnTheHost();
  void needsADevice();
};

namespace {

constexpr const char* kOpenCl = "opencl";
constexpr const char* kCuda = "cuda -arch=sm_80";

using cuda_double::control;

void compare(const std::string& text, const QString& target, int64_t size, const char* pipeline = "default") {
  const auto want = interpreted(text, size);
  QVERIFY2(want, want ? "" : want.diagnostics()[0].message.c_str());
  const auto device = onDevice(text, target.toStdString(), size, true, pipeline);
  QVERIFY2(device, device ? "" : device.diagnostics()[0].message.c_str());
  QCOMPARE(device->onHost, 0);
  const auto& got = device->result;
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  const auto difference = compareTensors(**got, **want);
  QVERIFY(difference);
  QCOMPARE(difference->firstNonFinite, -1);
  QVERIFY2(difference->maxAbsolute <= roundingLimit(**want),
           qPrintable(QString("differs by %1").arg(difference->maxAbsolute)));
}

void targets() {
  QTest::addColumn<QString>("target");
  for (const char* target : {kOpenCl, kCuda}) QTest::newRow(target) << QString(target);
}

/// Where in the order of its threads nothing can be told by the interpreter, the element of x that y has at i.
void compareElements(const std::string& text, const QString& target, int64_t (*from)(int64_t)) {
  const auto program = programOf(text, "llvm");
  QVERIFY(program);
  const auto given = argumentsOf(*program, 1);
  QVERIFY(given);
  const auto got = onDevice(text, target.toStdString());
  QVERIFY2(got && got->result, got ? "" : got.diagnostics()[0].message.c_str());
  QCOMPARE(got->onHost, 0);
  for (int64_t i = 0; i < 8; ++i) QCOMPARE((*got->result)->at(i), (*given)[0].tensor().at(from(i)));
}

}  // namespace

/// PoCL offers two devices where it is asked for them.
void TestDeviceFunctions::initTestCase() {
  qputenv("POCL_DEVICES", "pthread pthread");
  control().reset();
}

void TestDeviceFunctions::computesTheSame_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tensors");
  for (const char* target : {kOpenCl, kCuda})
    for (const ModuleRow& row : moduleRows())
      QTest::addRow("%s: %s", target, row.text) << QString(target) << QString(row.text) << QString(row.tensors);
}

void TestDeviceFunctions::computesTheSame() {
  QFETCH(QString, target);
  QFETCH(QString, text);
  QFETCH(QString, tensors);
  const std::string module = moduleOf(text, tensors);
  compare(module, target, 3);
  if (tensors.contains('n')) compare(module, target, 0);
}

void TestDeviceFunctions::scheduledAsOnDevices_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tensors");
  for (const char* target : {kOpenCl, kCuda})
    for (const ModuleRow& row : scheduledRows())
      QTest::addRow("%s: %s of %s", target, row.text, row.tensors)
          << QString(target) << QString(row.text) << QString(row.tensors);
}

/// By the pipeline for the target.
void TestDeviceFunctions::scheduledAsOnDevices() {
  QFETCH(QString, target);
  QFETCH(QString, text);
  QFETCH(QString, tensors);
  // A tile and a part of another, of what is known at run time alone.
  const char* pipeline = target == kOpenCl ? "opencl" : "cuda";
  const std::string module = moduleOf(text, tensors);
  compare(module, target, 35, pipeline);
  if (!tensors.contains('n')) return;
  for (const int64_t size : {0, 1}) compare(module, target, size, pipeline);
}

void TestDeviceFunctions::productsRoundOnce_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("tensors");
  for (const char* target : {kOpenCl, kCuda}) {
    QTest::addRow("%s: matrices", target) << QString(target) << "2, 9, 64: %1; 64, 72: %1";
    QTest::addRow("%s: a vector", target) << QString(target) << "1, 1024: %1; 1024, 24: %1";
  }
}

/// Halves are summed in float32, by tensor cores or without them.
void TestDeviceFunctions::productsRoundOnce() {
  QFETCH(QString, target);
  QFETCH(QString, tensors);
  const auto want = interpreted(moduleOf(
      "R.astype(R.matmul(R.astype(p0, \"float32\"), R.astype(p1, \"float32\")), \"float16\")", tensors.arg("float16")));
  const auto got = onDevice(moduleOf("R.matmul(p0, p1)", tensors.arg("float16")), target.toStdString(), 1, true,
                            target == kOpenCl ? "opencl" : "cuda");
  QVERIFY2(got && want, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY2(got->result, got->result ? "" : got->result.diagnostics()[0].message.c_str());
  for (int64_t i = 0; i < (*want)->count(); ++i) {
    const double wanted = (*want)->at(i), off = std::fabs((*got->result)->at(i) - wanted);
    QVERIFY2(off <= std::ldexp(std::fabs(wanted), -10) + 1e-4, qPrintable(QString("%1: off by %2").arg(i).arg(off)));
  }
}

void TestDeviceFunctions::dispatched_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tensors");
  for (const char* target : {kOpenCl, kCuda})
    for (const ModuleRow& row : dispatchedRows())
      QTest::addRow("%s: %s of %s", target, row.text, row.tensors)
          << QString(target) << QString(row.text) << QString(row.tensors);
}

/// No host runs a part of it.
void TestDeviceFunctions::dispatched() {
  QFETCH(QString, target);
  QFETCH(QString, text);
  QFETCH(QString, tensors);
  const std::string module = moduleOf(text, tensors);
  compare(module, target, 3);
  if (!tensors.contains('n')) return;
  compare(module, target, 0);
  // Several chunks; threads of the double are threads of this process.
  if (target == kOpenCl) compare(module, target, 1100);
}

void TestDeviceFunctions::ofKernels_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("types");
  QTest::addColumn<QString>("body");
  for (const char* target : {kOpenCl, kCuda})
    for (const KernelRow& row : kernelRows())
      QTest::addRow("%s: %s", target, row.name) << QString(target) << QString(row.types) << QString(row.body);
}

void TestDeviceFunctions::ofKernels() {
  QFETCH(QString, target);
  QFETCH(QString, types);
  QFETCH(QString, body);
  compare(kernelOf(types, body), target, 1);
}

void TestDeviceFunctions::threadsShareMemory_data() { targets(); }

void TestDeviceFunctions::threadsShareMemory() {
  QFETCH(QString, target);
  compareElements(sharingKernel(), target, [](int64_t i) { return 7 - i; });
}

void TestDeviceFunctions::warpsMoveValues_data() {
  QTest::addColumn<QString>("intrinsic");
  for (const char* name : {"", "_up", "_down", "_xor"}) QTest::addRow("shuffle%s", name) << QString(name);
}

void TestDeviceFunctions::warpsMoveValues() {
  QFETCH(QString, intrinsic);
  const std::string text = movingKernel(intrinsic, "float32");
  using From = int64_t (*)(int64_t);
  const From from = intrinsic == "_up"     ? From([](int64_t i) { return i < 1 ? i : i - 1; })
                    : intrinsic == "_down" ? From([](int64_t i) { return i < 7 ? i + 1 : i; })
                    : intrinsic == "_xor"  ? From([](int64_t i) { return i ^ 1; })
                                           : From([](int64_t) { return int64_t{1}; });
  compareElements(text, kCuda, from);
  // OpenCL C of these versions has no words for it: the host runs it, where it has no meaning either.
  const auto elsewhere = onDevice(text, kOpenCl);
  QVERIFY(elsewhere);
  QCOMPARE(elsewhere->onHost, 1);
}

void TestDeviceFunctions::partsOnSeveralDevices_data() { targets(); }

void TestDeviceFunctions::partsOnSeveralDevices() {
  QFETCH(QString, target);
  control().reset();
  control().setDevices(2);
  const bool cuda = target == kCuda;
  const std::string text = partsModule(cuda ? "cuda" : "opencl");
  const auto got = onDevice(text, target.toStdString());
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY2(got->result, got->result ? "" : got->result.diagnostics()[0].message.c_str());
  QCOMPARE(got->onHost, 0);
  const auto program = programOf(text, target.toStdString());
  QVERIFY(program);
  const auto given = argumentsOf(*program, 1);
  QVERIFY(given);
  for (int64_t i = 0; i < 6; ++i) {
    const auto x = static_cast<float>((*given)[0].tensor().at(i)), y = static_cast<float>((*given)[1].tensor().at(i));
    const float sum = x + y;
    QCOMPARE((*got->result)->at(i), double{-(sum + sum * sum)});
  }
  const auto calls = control().calls();
  if (cuda) QCOMPARE(std::count(calls.begin(), calls.end(), "cuModuleLoadDataEx"), 2);
  control().reset();
}

void TestDeviceFunctions::missingDevice() {
  control().reset();
  const auto program = programOf(partsModule("cuda"), kCuda);
  QVERIFY(program);
  const auto kernels = compile::kernelsOf(*program, {}, nullptr);
  QVERIFY(!kernels);
  QCOMPARE(kernels.diagnostics()[0].rule, std::string("device.none"));
  // Devices of another kind than the target's are the host.
  const auto others = onDevice(partsModule("opencl"), kCuda);
  QVERIFY(others && others->result);
  QCOMPARE(others->onHost, 3);
}

void TestDeviceFunctions::endsWithAFault_data() {
  QTest::addColumn<QString>("types");
  QTest::addColumn<QString>("body");
  auto row = [](const char* name, const char* types, const char* body) {
    QTest::newRow(name) << QString(types) << QString(body);
  };
  row("read", "int32 int32", "for i in range(8):\n    y[i] = x[x[i] + 8]");
  row("written", "int32 int32", "for i in range(8):\n    y[x[i] - 9] = 1");
  row("divided", "int32 int32", "for i in range(8):\n    y[i] = x[i] // (x[i] - x[i])");
}

void TestDeviceFunctions::endsWithAFault() {
  QFETCH(QString, types);
  QFETCH(QString, body);
  const std::string text = kernelOf(types, body);
  const auto want = interpreted(text);
  QVERIFY(!want);
  const auto got = onDevice(text, kOpenCl);
  QVERIFY(got);
  QVERIFY(!got->result);
  const Diagnostic &there = got->result.diagnostics()[0], &here = want.diagnostics()[0];
  QCOMPARE(there.rule, here.rule);
  // Which element is met first is not said: threads have no order.
  const auto words = [](const std::string& message) {
    return QString::fromStdString(message).remove(QRegularExpression("-?[0-9]+"));
  };
  QCOMPARE(words(there.message), words(here.message));
}

/// What a kernel writes to its last argument becomes what the interpreter says of the same access.
void TestDeviceFunctions::faultWordsAreRead() {
  const std::string text = kernelOf("int32 int32", "for i in range(8):\n    y[i] = x[x[i] + 8]");
  const auto program = programOf(text, kCuda);
  QVERIFY(program);
  const auto made = codegen::deviceText(program->module, deviceOptions(*program));
  QVERIFY(made.left.empty());
  QVERIFY(!made.code.sites.empty());
  control().add(made.code.text, "k_kernel", 3, [](const cuda_double::Launch& launch) {
    uint64_t words = 0;
    std::memcpy(&words, launch.arguments[2], sizeof words);
    const int64_t said[] = {1, 11, 8};
    std::memcpy(launch.memory(words, sizeof said), said, sizeof said);
    return 0;
  });
  const auto got = onDevice(text, kCuda, 1, false);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY(!got->result);
  QCOMPARE(got->result.diagnostics()[0].rule, std::string("kernel.bounds"));
  QVERIFY2(got->result.diagnostics()[0].message.find("11") != std::string::npos,
           got->result.diagnostics()[0].message.c_str());
}

void TestDeviceFunctions::faultsOfTheDriver_data() {
  QTest::addColumn<QString>("call");
  QTest::addColumn<int>("code");
  QTest::addColumn<QString>("rule");
  auto row = [](const char* name, const char* call, int code, const char* rule) {
    QTest::newRow(name) << QString(call) << code << QString(rule);
  };
  row("memory", "cuMemAlloc_v2", 2, "device.memory");
  row("illegal address", "cuLaunchKernel", 700, "device.fault");
  row("time-out", "cuLaunchKernel", 702, "device.timeout");
  row("lost in the middle", "cuLaunchKernel", 46, "device.lost");
  row("text that nobody knows", "", 0, "device.program");
}

void TestDeviceFunctions::faultsOfTheDriver() {
  QFETCH(QString, call);
  QFETCH(int, code);
  QFETCH(QString, rule);
  control().reset();
  if (!call.isEmpty()) control().failNext(call.toStdString(), code);
  const auto got = onDevice(moduleOf("R.exp(p0)", "3: float32"), kCuda, 1, !call.isEmpty());
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY(!got->result);
  QCOMPARE(QString::fromStdString(got->result.diagnostics()[0].rule), rule);
  QVERIFY(!got->result.diagnostics()[0].fix.empty());
  control().reset();
}

/// What a kernel declares counts as what a launch gives.
void TestDeviceFunctions::sharesTooMuch() {
  const auto devices = device::devicesOf(*device::findKind("opencl"));
  QVERIFY(devices && !devices->empty());
  const auto sharing = [&](int64_t bytes) {
    const std::string text =
        kernelOf("float32 float32", QString("for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                                            "    with T.sblock(\"\"):\n"
                                            "        ours = T.sblock_alloc_buffer((%1,), scope=\"shared\")\n"
                                            "        for i in range(%2):\n"
                                            "            ours[t * %2 + i] = x[t]\n"
                                            "        y[t] = ours[(7 - t) * %2]")
                                        .arg(bytes / 4)
                                        .arg(bytes / 32));
    return onDevice(text, kOpenCl);
  };
  const int64_t limit = devices->front()->properties().sharedBytes;
  const auto whole = sharing(limit), more = sharing(limit + 64);
  QVERIFY(whole && more);
  QVERIFY2(whole->result, whole->result ? "" : whole->result.diagnostics()[0].message.c_str());
  QVERIFY(!more->result);
  const Diagnostic& said = more->result.diagnostics()[0];
  QCOMPARE(said.rule, std::string("device.launch"));
  QVERIFY2(said.message.find(std::to_string(limit)) != std::string::npos, said.message.c_str());
  QVERIFY(!said.fix.empty());
}

/// By a size that may be zero. The interpreter, which runs the kernels of the double, has no quotient then.
void TestDeviceFunctions::memoryWhoseSizeDivides() {
  const std::string text = moduleOf("R.nn.attention(p0, p0, p0)", "1, n, 3, 16: float32");
  for (const int64_t size : {0, 1, 5}) compare(text, kOpenCl, size);
  for (const int64_t size : {1, 5}) compare(text, kCuda, size);
}

/// The run ends with what it waited for, and what it recorded until then can be looked at. In a process of its own,
/// since nothing ends the kernel but its process.
void TestDeviceFunctions::kernelThatHangs() {
  QTemporaryDir folder;
  const QString module = folder.filePath("module.py"), recording = folder.filePath("recording");
  QFile file(module);
  QVERIFY(file.open(QIODevice::WriteOnly));
  const std::string text = kernelOf(
      "int32 int32", "for i in range(8):\n    y[i] = x[i]\n    while y[i] < 100:\n        y[i] = (y[i] + 7) % 50");
  file.write(QByteArray::fromStdString(text));
  file.close();
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert("RXS_KERNEL_SECONDS", "1");
  const test::Answer answer = test::rxs({"run", module, "--seed", "1", "--target", "opencl", "--record", recording},
                                        {.environment = environment});
  QCOMPARE(answer.code, 1);
  QCOMPARE(test::ruleOf(answer), "device.timeout");
  for (const char* words : {"lv = R.call_tir", "k_kernel", "groups (1, 1, 1)", "after 1 seconds"})
    QVERIFY2(answer.err.contains(words), qPrintable(answer.err));
  const test::Answer shown = test::rxs({"show", recording});
  QVERIFY2(shown.out.contains("alloc_tensor"), qPrintable(shown.out + shown.err));
}

/// Sums of opposite halves leave what rounding left of them, which is apart by half its size. From the same inputs the
/// processor makes the same.
void TestDeviceFunctions::roundingIsInherited() {
  const auto against = [](const char* passes) {
    return test::rxs(
        {"run", RX_SOURCE_DIR "/samples/decoder", "--passes", passes, "--target", "opencl", "--against", "cpu"});
  };
  const test::Answer halves = against("ToMixedPrecision(out_dtype='float16'), default");
  QVERIFY2(halves.code == 0 && halves.out.contains("more differ by what they were given"), qPrintable(halves.out));
  const test::Answer singles = against("default");
  QVERIFY2(singles.code == 0 && !singles.out.contains("more differ"), qPrintable(singles.out));
}

void TestDeviceFunctions::saysWhatRunsOnTheHost() {
  // More than there are: the function of the host says so.
  const auto topk = onDevice(moduleOf("R.topk(p0, k=5, axis=0, ret_type=\"values\")", "3: float32"), kOpenCl);
  QVERIFY(topk);
  QVERIFY(!topk->result);
  QCOMPARE(topk->result.diagnostics()[0].rule, std::string("vm.shape"));
  const auto packed = onDevice(kernelOf("float32 float32",
                                        "for i in range(8):\n    y[i] = x[i]\n"
                                        "T.evaluate(T.call_packed(\"no.such.function\", 1))"),
                               kOpenCl);
  QVERIFY(packed);
  QCOMPARE(packed->onHost, 1);
  QVERIFY(!packed->result);
}

void TestDeviceFunctions::needsADevice() {
  const auto program = programOf(moduleOf("R.exp(p0)", "3: float32"), "vulkan");
  QVERIFY(!program);
  QCOMPARE(program.diagnostics()[0].rule, std::string("codegen.target"));
  const auto unknown = programOf(moduleOf("R.exp(p0)", "3: float32"), "cuda -arch=sm_20");
  QVERIFY(unknown);
  const auto text = codegen::deviceText(unknown->module, deviceOptions(*unknown));
  QVERIFY(!text.left.empty());
  QCOMPARE(text.left[0].rule, std::string("codegen.target"));
}

QTEST_GUILESS_MAIN(TestDeviceFunctions)
#include "tst_device_functions.moc"
