// Statistics of tensors where they lie: a real device of OpenCL and the double of the CUDA driver say what the host
// says.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <limits>

#include "core/compile/device_statistics.h"
#include "core/tensor/stats.h"
#include "tests/device/device_modules.h"
#include "tests/device/interpreted_kernel.h"
#include "tests/device/loaded_double.h"
#include "tests/support/program.h"

using namespace rx;

namespace {

constexpr const char* kOpenCl = "opencl";
constexpr const char* kCuda = "cuda -arch=sm_80";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

using cuda_double::control;

/// `count` elements that go up and down, with some others at their places.
Ref<HostTensor> tensorOf(DataType type, int64_t count, const std::vector<std::pair<int64_t, double>>& others) {
  auto tensor = *HostTensor::allocate({count}, type);
  for (int64_t i = 0; i < count; ++i) tensor->set(i, static_cast<double>(i * 7919 % 251) - 100);
  for (const auto& [index, value] : others) tensor->set(index, value);
  return tensor;
}

struct Asked {
  std::optional<TensorStats> stats;
  std::vector<std::string> onHost;  ///< what was said
};

/// Of the elements from `from` on, on the device.
Result<Asked> asked(const char* target, const HostTensor& tensor, int64_t from = 0) {
  Asked made;
  RX_TRY(its, target::parseTarget(target));
  RX_TRY(device, device::openDevice(its->kind(), 0));
  if (its->kind() == "cuda") {
    RX_TRY(program, compile::statisticsProgram(tensor.dtype(), its));
    RX_CHECK(cuda_double::addModule(control(), program.module, {its, true, {}, {}}));
  }
  const auto arena = std::make_shared<DeviceArena>(device, int64_t{1} << 30, false);
  RX_TRY(storage, Storage::allocate(tensor.bytes(), arena));
  RX_CHECK(storage->write(0, {tensor.data(), static_cast<size_t>(tensor.bytes())}));
  const auto there =
      make<HostTensor>(storage, from * tensor.elementBytes(), std::vector{tensor.count() - from}, tensor.dtype());
  compile::Control notes;
  notes.onHost = [&](std::string_view what, const Diagnostic&) { made.onHost.emplace_back(what); };
  const auto statistics = compile::statisticsOn(device, its, notes, false);
  RX_TRY(stats, statistics(*there));
  RX_CHECK(statistics(*there));  // said once
  made.stats = stats;
  return made;
}

}  // namespace

class TestDeviceStatistics : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void saysWhatTheHostSays_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("kind");
    for (const char* type : {"float16", "bfloat16", "float32", "float64", "int8", "uint16", "int32", "int64"})
      for (const int kind : {0, 1, 2}) QTest::addRow("%s %d", type, kind) << type << kind;
  }
  void saysWhatTheHostSays() {
    QFETCH(QString, type);
    QFETCH(int, kind);
    const DataType its = *DataType::parse(type.toStdString());
    if (kind > 0 && !its.isFloat()) return;
    const int64_t count = (int64_t{1} << 20) / its.bytes() + 12345;
    std::vector<std::pair<int64_t, double>> others;
    if (kind == 1) others = {{70001, -kInf}, {9, kNan}, {count - 1, kInf}, {300, kNan}};
    for (int64_t i = 0; kind == 2 && i < count; ++i) others.emplace_back(i, i % 3 ? kNan : kInf);
    check(kOpenCl, *tensorOf(its, count, others));
  }

  void onTheDouble() {
    control().reset();
    check(kCuda, *tensorOf(DataType::Float(32), 270000, {{77777, kNan}, {4, -kInf}}));
    control().reset();
  }

  /// Views of memory, as reuse of memory makes them.
  void ofAPart() {
    const auto tensor = tensorOf(DataType::Float(32), 400000, {{5, kNan}});
    const auto made = asked(kOpenCl, *tensor, 4096);
    QVERIFY(made && made->stats);
    QCOMPARE(made->stats->nanCount, int64_t{0});
    QCOMPARE(made->stats->count, int64_t{400000 - 4096});
  }

  /// Small ones are copied, and so are those of types that no kernel takes, which is said.
  void isCopied() {
    const auto small = asked(kOpenCl, *tensorOf(DataType::Float(32), 1000, {}));
    QVERIFY(small && !small->stats && small->onHost.empty());
    const auto truth = asked(kOpenCl, *tensorOf(DataType::Bool(), 2000000, {}));
    QVERIFY(truth && !truth->stats);
    QCOMPARE(truth->onHost, std::vector<std::string>{"statistics of bool tensors on opencl:0"});
  }

  /// A recording that keeps none of the bytes says of a device's tensors what it says of the host's.
  void inARecording() {
    QTemporaryDir folder;
    const QString module = folder.filePath("module.py");
    QFile file(module);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(moduleOf("R.log(R.add(p0, R.exp(p0)))", "600, 701: float32")));
    file.close();
    QString shown[2];
    for (const bool onDevice : {false, true}) {
      const QString recording = folder.filePath(onDevice ? "device" : "host");
      const auto ran = test::rxs({"run", module, "--seed", "3", "--target", onDevice ? "opencl" : "llvm", "--record",
                                  recording, "--record-keep", "statistics"});
      QVERIFY2(ran.code == 0 && !ran.err.contains("statistics of"), qPrintable(ran.err));
      shown[onDevice] = test::rxs({"show", recording}).out.remove(" on opencl:0");
    }
    QVERIFY(shown[0].contains("made NaN or Inf"));
    QCOMPARE(shown[1], shown[0]);
  }

 private:
  static void check(const char* target, const HostTensor& tensor) {
    const auto made = asked(target, tensor);
    QVERIFY2(made, made ? "" : made.diagnostics().front().message.c_str());
    QVERIFY2(made->stats, made->onHost.empty() ? "" : made->onHost.front().c_str());
    const TensorStats &got = *made->stats, want = *tensorStats(tensor);
    QCOMPARE(got.count, want.count);
    QCOMPARE(got.min, want.min);
    QCOMPARE(got.max, want.max);
    QCOMPARE(got.nanCount, want.nanCount);
    QCOMPARE(got.infCount, want.infCount);
    QCOMPARE(got.firstNonFinite, want.firstNonFinite);
    QVERIFY(std::abs(got.mean - want.mean) <= 1e-9 * (1 + std::abs(want.mean)));
  }
};

QTEST_GUILESS_MAIN(TestDeviceStatistics)
#include "tst_device_statistics.moc"
