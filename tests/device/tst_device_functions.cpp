// Functions on a real OpenCL device: they compute what the interpreter computes, and fail where it fails.
#include <QRegularExpression>
#include <QtTest>
#include <cmath>

#include "core/compile/compile.h"
#include "core/interpret/kernels.h"
#include "core/ir/all_nodes.h"
#include "core/runtime/machine.h"
#include "core/script/parse.h"
#include "core/tensor/stats.h"

using namespace rx;

class TestDeviceFunctions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void ofKernels_data();
  void ofKernels();
  void threadsShareMemory();
  void endsWithAFault_data();
  void endsWithAFault();
  void saysWhatRunsOnTheHost();
  void needsADevice();
};

namespace {

constexpr const char* kHead =
    "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"
    "@I.ir_module\nclass Module:\n";

/// A module whose main computes `text` of tensors, "n, 4: float32" each.
std::string moduleOf(const QString& text, const QString& tensors) {
  std::string params;
  int number = 0;
  for (const QString& tensor : tensors.split(';')) {
    const QStringList parts = tensor.split(':');
    std::string shape;
    for (const QString& extent : parts[0].split(',')) {
      const std::string size = extent.trimmed().toStdString();
      shape += (size == "n" ? "\"n\"" : size) + ", ";
    }
    params += fmt::format("{}p{}: R.Tensor(({}), dtype=\"{}\")", number ? ", " : "", number, shape,
                          parts[1].trimmed().toStdString());
    ++number;
  }
  return fmt::format("{}    @R.function\n    def main({}):\n        lv = {}\n        return lv\n", kHead, params,
                     text.toStdString());
}

/// A module with this kernel, of x with 8 elements and y with 8, and a main that calls it.
std::string kernelOf(const QString& types, const QString& body) {
  const std::string in = types.section(' ', 0, 0).toStdString(), out = types.section(' ', 1, 1).toStdString();
  std::string text =
      fmt::format("{}    @T.prim_func(s_tir=True)\n    def k(x: T.Buffer((8,), \"{}\"), y: T.Buffer((8,), \"{}\")):\n",
                  kHead, in, out);
  for (const QString& line : body.split('\n')) text += "        " + line.toStdString() + "\n";
  return text + fmt::format(
                    "\n    @R.function\n    def main(p0: R.Tensor((8,), dtype=\"{0}\")):\n        cls = Module\n"
                    "        lv = R.call_tir(cls.k, (p0,), out_sinfo=R.Tensor((8,), dtype=\"{1}\"))\n"
                    "        return lv\n",
                    in, out);
}

Result<compile::Program> programOf(const std::string& text, const char* target) {
  RX_TRY(module, script::parseModule(make<SourceFile>("m.py", text)));
  compile::Request request;
  request.module = module;
  RX_TRY(parsed, target::parseTarget(target));
  request.target = parsed;
  return compile::compile(request, {});
}

/// Numbers of both signs, the same in every run; of integers with 0 among them. `size` stands for what only a run
/// knows.
Result<std::vector<vm::Value>> argumentsOf(const compile::Program& program, int64_t size) {
  const auto main = refAs<relax::Function>(program.request.module->find("main"));
  std::vector<vm::Value> made;
  uint32_t random = 1;
  for (const relax::VarRef& param : main->params) {
    const auto* info = as<relax::TensorStructInfo>(param->sinfo);
    std::vector<int64_t> shape;
    for (const tir::PrimExpr& extent : as<relax::ShapeExpr>(info->shape)->values) {
      shape.push_back(tir::asInt(extent).value_or(size));
    }
    RX_TRY(tensor, HostTensor::allocate(shape, info->dtype));
    for (int64_t i = 0; i < tensor->count(); ++i) {
      random = random * 1664525 + 1013904223;
      const double value = static_cast<double>(random >> 16) / 8192.0 - 4;
      tensor->set(i, info->dtype.isFloat() ? value : std::floor(std::abs(value)));
    }
    made.push_back(vm::Value::of(tensor));
  }
  return made;
}

Result<Ref<HostTensor>> ran(const compile::Program& program, std::shared_ptr<vm::KernelProvider> kernels,
                            int64_t size) {
  vm::MachineOptions options;
  options.kernels = std::move(kernels);
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_TRY(arguments, argumentsOf(program, size));
  RX_CHECK(machine->start("main", std::move(arguments)));
  machine->run();
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  return machine->result().tensor().copy();
}

struct OnDevice {
  Result<Ref<HostTensor>> result;
  int onHost = 0;  ///< kernels that the device has no code for
};

Result<OnDevice> onDevice(const std::string& text, int64_t size = 1) {
  RX_TRY(program, programOf(text, "opencl"));
  int onHost = 0;
  compile::Control control;
  control.onHost = [&](std::string_view, const Diagnostic&) { ++onHost; };
  RX_TRY(kernels, compile::kernelsOf(program, control, nullptr));
  auto result = ran(program, kernels, size);
  return OnDevice{std::move(result), onHost};
}

Result<Ref<HostTensor>> interpreted(const std::string& text, int64_t size = 1) {
  RX_TRY(program, programOf(text, "llvm"));
  return ran(program, interpret::makeInterpretedKernels(program.module, {}), size);
}

void compare(const std::string& text, int64_t size) {
  const auto want = interpreted(text, size);
  QVERIFY2(want, want ? "" : want.diagnostics()[0].message.c_str());
  const auto device = onDevice(text, size);
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

}  // namespace

void TestDeviceFunctions::computesTheSame_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tensors");
  auto row = [](const char* text, const char* tensors) { QTest::newRow(text) << QString(text) << QString(tensors); };
  row("R.add(p0, p1)", "33, 7: float32; 7: float32");
  row("R.exp(p0)", "n: float32");
  row("R.nn.softmax(p0, axis=-1)", "5, 19: float32");
  row("R.matmul(p0, p1)", "17, 23: float32; 23, 9: float32");
  row("R.matmul(p0, p1)", "n, 8: float16; 8, 4: float16");
  row("R.nn.gelu(p0)", "40: bfloat16");
  row("R.astype(p0, \"int8\")", "40: float32");
  row("R.floor_divide(p0, R.const(3, \"int32\"))", "40: int32");
  row("R.sum(p0, axis=[0])", "n, 3: int64");
  row("R.max(p0)", "6, 6: float64");
  row("R.take(p0, p1, axis=0)", "8, 3: float32; 5: int64");
  row("R.cumsum(p0, axis=0)", "20: float32");
  row("R.greater(p0, p1)", "12: float32; 12: float32");
  row("R.nn.layer_norm(p0, p1, p2, axes=[-1])", "4, 16: float32; 16: float32; 16: float32");
  row("R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1])", "1, 3, 8, 8: float32; 4, 3, 3, 3: float32");
  row("R.concat((p0, p1), axis=1)", "2, 3: float32; 2, 4: float32");
}

void TestDeviceFunctions::computesTheSame() {
  QFETCH(QString, text);
  QFETCH(QString, tensors);
  const std::string module = moduleOf(text, tensors);
  compare(module, 3);
  if (tensors.contains('n')) compare(module, 0);
}

void TestDeviceFunctions::ofKernels_data() {
  QTest::addColumn<QString>("types");
  QTest::addColumn<QString>("body");
  auto row = [](const char* name, const char* types, const char* body) {
    QTest::newRow(name) << QString(types) << QString(body);
  };
  row("sums that wrap", "int32 int32", "for i in range(8):\n    y[i] = x[i] * 1000000007 - 2147483647");
  row("remainders of negative numbers", "int32 int32",
      "for i in range(8):\n    y[i] = (x[i] - 2) // -3 * 100 + (x[i] - 2) % -3");
  row("a running sum", "float32 float32", "y[0] = x[0]\nfor i in range(7):\n    y[i + 1] = y[i] + x[i + 1]");
  row("a while loop", "int32 int32",
      "for i in range(8):\n    y[i] = x[i]\n    while y[i] < 100:\n        y[i] = y[i] * 3 + 1");
  row("vectors", "float32 float32",
      "for i in range(2):\n    for j in T.vectorized(4):\n        y[i * 4 + j] = x[i * 4 + j] + T.float32(1)");
  row("a float of 8 bits", "float8_e4m3fn float8_e4m3fn", "for i in range(8):\n    y[i] = x[i] * x[i]");
  row("bits", "uint8 uint8", "for i in range(8):\n    y[i] = T.shift_left(x[i], T.uint8(7)) + T.bitwise_not(x[i])");
}

void TestDeviceFunctions::ofKernels() {
  QFETCH(QString, types);
  QFETCH(QString, body);
  compare(kernelOf(types, body), 1);
}

/// The interpreter runs one thread after the other, so that the result is told here.
void TestDeviceFunctions::threadsShareMemory() {
  const std::string text = kernelOf("float32 float32",
                                    "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
                                    "    with T.sblock(\"\"):\n"
                                    "        ours = T.sblock_alloc_buffer((8,), scope=\"shared\")\n"
                                    "        ours[t] = x[t]\n"
                                    "        y[t] = ours[7 - t]");
  const auto program = programOf(text, "llvm");
  QVERIFY(program);
  const auto given = argumentsOf(*program, 1);
  QVERIFY(given);
  const auto got = onDevice(text);
  QVERIFY(got && got->result);
  QCOMPARE(got->onHost, 0);
  for (int64_t i = 0; i < 8; ++i) QCOMPARE((*got->result)->at(i), (*given)[0].tensor().at(7 - i));
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
  const auto got = onDevice(text);
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

void TestDeviceFunctions::saysWhatRunsOnTheHost() {
  const auto got = onDevice(moduleOf("R.sort(p0)", "9: float32"));
  QVERIFY(got);
  QVERIFY(got->result);
  const auto packed = onDevice(kernelOf(
      "float32 float32", "for i in range(8):\n    y[i] = x[i]\nT.evaluate(T.call_packed(\"no.such.function\", 1))"));
  QVERIFY(packed);
  QCOMPARE(packed->onHost, 1);
  QVERIFY(!packed->result);
}

void TestDeviceFunctions::needsADevice() {
  const auto program = programOf(moduleOf("R.exp(p0)", "3: float32"), "vulkan");
  QVERIFY(!program);
  QCOMPARE(program.diagnostics()[0].rule, std::string("codegen.target"));
}

QTEST_GUILESS_MAIN(TestDeviceFunctions)
#include "tst_device_functions.moc"
