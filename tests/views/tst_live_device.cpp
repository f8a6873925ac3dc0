// Kernels that do not end, in the window: on a device of OpenCL, and on the double of CUDA's driver, by the real
// engine.
#include <QTemporaryDir>

#include "../device/cuda_double.h"
#include "live_bench.h"
#include "views/shell/cards/card.h"

using namespace rx::views;

namespace {

constexpr char kModule[] = R"(from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def ends(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        for i in range(8):
            with T.block(""):
                y[i] = x[i] + 1

    @T.prim_func
    def turns(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        for i in range(8):
            with T.block(""):
                y[i] = x[i]
                while y[i] < 100:
                    y[i] = (y[i] + 7) % 50

    @R.function
    def main(x: R.Tensor((8,), "int32")):
        cls = Module
        lv = R.call_tir(cls.ends, (x,), out_sinfo=R.Tensor((8,), "int32"))
        lv1 = R.call_tir(cls.turns, (lv,), out_sinfo=R.Tensor((8,), "int32"))
        return lv1
)";

}  // namespace

class LiveDeviceTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    qputenv("XDG_CACHE_HOME", folder_.filePath("cache").toUtf8());
    qputenv("RXS_KERNEL_SECONDS", "1");
    qputenv("RX_CUDA_DOUBLE", QByteArray("turns=") + QByteArray::number(rx::cuda_double::kHangs));
    // The engine finds the double by the driver's name.
    QVERIFY(QFile::link(RX_BINARY_DIR "/tests/cuda_double.so", folder_.filePath("libcuda.so.1")));
    qputenv("LD_LIBRARY_PATH", folder_.path().toUtf8());
    QVERIFY(write(folder_.filePath("module.py"), kModule));
  }

  void aKernelThatHangs_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("value");
    QTest::newRow("opencl") << "opencl"
                            << "min / max: 1 / 4";
    QTest::newRow("cuda") << "cuda -arch=sm_90"
                          << "Value made by step 6";  // what there was, since its kernels do nothing
  }

  /// The card says what was started, what went before can be read and stepped to, and the next run is another matter.
  void aKernelThatHangs() {
    QFETCH(QString, target);
    QFETCH(QString, value);
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder_.filePath("module.py")}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "target=" + target}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.does("debug.continue"));
    const RunFailure* failure = bench.debug.failure();
    QVERIFY2(failure, qPrintable(bench.window.statusText()));
    QCOMPARE(failure->when, RunFailure::When::Middle);
    QCOMPARE(failure->rule, QString("device.timeout"));
    const auto* card = bench.window.findChild<Card*>("outcomeCard");
    QVERIFY(card && card->isVisible());
    for (const char* words : {"has not ended after 1 seconds", "RXS_KERNEL_SECONDS"})
      QVERIFY2(card->text().contains(words), qPrintable(card->text()));
    // The trace so far.
    const int stopped = bench.debug.stop().step;
    QVERIFY(stopped > 1);
    QVERIFY(bench.steps().size() > 1);
    QVERIFY(bench.does("select.binding", {"lv"}));
    const QString dump = bench.window.dump("inspector");
    QVERIFY2(dump.contains(value), qPrintable(dump));
    const QString place = target.section(' ', 0, 0) + ":0";
    QVERIFY2(dump.contains("lies on: " + place), qPrintable(dump));
    QVERIFY(bench.window.dump("bytecode").contains(" on " + place));
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.debug.stop().step < stopped);
    // The window lives, and another engine runs the same.
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.debug.failure() && !card->isVisible());
  }
};

QTEST_MAIN(LiveDeviceTest)
#include "tst_live_device.moc"
