// Products by groups of warps, over the double of CUDA's driver: descriptors, patterns of lines and the ring of slices
// give what the interpreter gives. Where the rule is none, it says why.
#include <QtTest>

#include "core/ir/all_nodes.h"
#include "core/tensor/stats.h"
#include "tests/device/device_modules.h"
#include "tests/device/device_results.h"
#include "tests/device/loaded_double.h"
#include "tests/support/compiled_text.h"

using namespace rx;

class TestWarpGroups : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void leavesOthers_data();
  void leavesOthers();
  void copiesBlocks();
  void copiesBoxes();
  void nobodyWaits();
  void refusesBoxes_data();
  void refusesBoxes();
  void mapsFail();
};

namespace {

constexpr const char* kNewest = "cuda -arch=sm_90a";
constexpr const char* kWide =
    "LegalizeOps(), AnnotateTIROpPattern(), FoldConstant(), FuseOps(), FuseTIR(), WidenSums(), "
    "ApplyDefaultSchedule(rules=[{'rule': 'gpu.WarpGroups', 'tiles': 1}]), default";

constexpr const char* kTurned = R"(from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def k(a: T.Buffer((72, 136), "float16"), b: T.Buffer((72, 64), "float16"), c: T.Buffer((136, 64), "float32")):
        with T.sblock("root"):
            for i, j, k in T.grid(136, 64, 72):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        c[vi, vj] = T.float32(0)
                    c[vi, vj] = c[vi, vj] + T.Cast("float32", a[vk, vi]) * T.Cast("float32", b[vk, vj])

    @R.function
    def main(p0: R.Tensor((72, 136), dtype="float16"), p1: R.Tensor((72, 64), dtype="float16")):
        cls = Module
        lv = R.call_tir(cls.k, (p0, p1), out_sinfo=R.Tensor((136, 64), dtype="float32"))
        return lv
)";

/// The text of all kernels.
Result<std::string> textOf(const std::string& module, const char* target, const char* pipeline) {
  RX_TRY(program, test::programOf(module, target, pipeline));
  const codegen::ModuleText made = codegen::deviceText(program.module, deviceOptions(program));
  if (!made.left.empty()) return fail(made.left);
  return made.code.text;
}

}  // namespace

void TestWarpGroups::computesTheSame_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tensors");
  QTest::addColumn<QString>("pipeline");
  QTest::addColumn<QString>("product");
  QTest::addColumn<QString>("copies");
  constexpr const char *kRows = "cp.async.bulk.tensor.2d", *kBatches = "cp.async.bulk.tensor.3d";
  const auto row = [&](const char* name, const char* text, const char* tensors, const char* product,
                       const char* pipeline = "cuda", const char* copies = kRows) {
    QTest::newRow(name) << QString(text) << QString(tensors) << QString(pipeline) << QString(product)
                        << QString(copies);
  };
  constexpr const char* kPlain = "R.matmul(p0, p1, out_dtype=\"float32\")";
  // More slices than the ring has, the last of them a part of one.
  row("rows and turned columns", kPlain, "70, 264: float16; 264, 72: float16", "m64n128k16.f32.f16.f16");
  row("bfloat16", kPlain, "70, 72: bfloat16; 72, 64: bfloat16", "m64n128k16.f32.bf16.bf16");
  row("columns as they lie", "R.matmul(p0, R.permute_dims(p1), out_dtype=\"float32\")",
      "64, 72: float16; 136, 72: float16", "p, 1, 1, 0, 0;");
  row("rows turned", kTurned, "", "p, 1, 1, 1, 1;");
  row("batches", kPlain, "2, 64, 64: float16; 2, 64, 64: float16", "p, 1, 1, 0, 1;", "cuda", kBatches);
  row("batches of one operand", kPlain, "2, 64, 64: float16; 64, 64: float16", "m64n128k16");
  row("rows of unknown number", kPlain, "n, 64: float16; 64, 64: float16", "m64n128k16", "cuda", "cp.async.cg");
  row("what follows", "R.nn.relu(R.add(R.matmul(p0, p1), p2))", "64, 64: float16; 64, 72: float16; 72: float16",
      "m64n128k16");
  row("wide tiles", kPlain, "64, 72: float16; 72, 136: float16", "m64n256k16", kWide);
}

void TestWarpGroups::computesTheSame() {
  QFETCH(QString, text);
  QFETCH(QString, tensors);
  QFETCH(QString, pipeline);
  QFETCH(QString, product);
  QFETCH(QString, copies);
  const std::string module = tensors.isEmpty() ? text.toStdString() : moduleOf(text, tensors);
  const std::string passes = pipeline.toStdString();
  const auto made = textOf(module, kNewest, passes.c_str());
  QVERIFY2(made, made ? "" : made.diagnostics()[0].message.c_str());
  QVERIFY2(made->find(product.toStdString()) != std::string::npos, made->c_str());
  QVERIFY2(made->find(copies.toStdString()) != std::string::npos, made->c_str());
  for (const int64_t size : {3, 130}) {
    if (size == 3 && !tensors.contains('n')) continue;
    const auto want = interpreted(module, size);
    QVERIFY2(want, want ? "" : want.diagnostics()[0].message.c_str());
    const auto got = onDevice(module, kNewest, size, true, passes);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QCOMPARE(got->onHost, 0);
    QVERIFY2(got->result, got->result ? "" : got->result.diagnostics()[0].message.c_str());
    const auto difference = compareTensors(**got->result, **want);
    QVERIFY(difference);
    QCOMPARE(difference->firstNonFinite, -1);
    QVERIFY2(difference->maxAbsolute <= roundingLimit(**want),
             qPrintable(QString("differs by %1").arg(difference->maxAbsolute)));
  }
}

void TestWarpGroups::leavesOthers_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("tensors");
  const auto row = [](const char* name, const char* target, const char* tensors) {
    QTest::newRow(name) << QString(target) << QString(tensors);
  };
  constexpr const char* kLarge = "64, 64: float16; 64, 64: float16";
  row("a device of another architecture", "cuda -arch=sm_90", kLarge);
  row("a device with little shared memory", "cuda -arch=sm_90a -max_shared_memory_per_block=40000", kLarge);
  row("few rows", kNewest, "16, 64: float16; 64, 64: float16");
  row("lines that are no whole pieces", kNewest, "64, 65: float16; 65, 64: float16");
}

/// The cores of single warps take them.
void TestWarpGroups::leavesOthers() {
  QFETCH(QString, target);
  QFETCH(QString, tensors);
  const auto made = textOf(moduleOf("R.matmul(p0, p1)", tensors), qPrintable(target), "cuda");
  QVERIFY2(made, made ? "" : made.diagnostics()[0].message.c_str());
  QVERIFY(made->find("wgmma") == std::string::npos);
  QVERIFY(made->find("mma.sync.aligned.m16n8k16") != std::string::npos);
}

/// One thread asks for the copy, all wait for its bytes.
void TestWarpGroups::copiesBlocks() {
  const std::string module =
      kernelOf("float32 float32",
               "for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
               "    with T.sblock(\"\"):\n"
               "        ours = T.sblock_alloc_buffer((16,), scope=\"shared\")\n"
               "        T.evaluate(T.create_barriers(1))\n"
               "        if t == 0:\n"
               "            T.evaluate(T.ptx_init_barrier_thread_count(0, 1))\n"
               "            T.evaluate(T.rx_fence_async())\n"
               "        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
               "        if t == 0:\n"
               "            T.evaluate(T.ptx_arrive_barrier_expect_tx(0, 32))\n"
               "            T.evaluate(T.ptx_cp_async_bulk(\"float32\", ours.data, 8, x.data, 0, 32, 0))\n"
               "        T.evaluate(T.ptx_wait_barrier(0, 0))\n"
               "        y[t] = ours[15 - t]");
  const auto program = test::programOf(module, kNewest);
  QVERIFY(program);
  const auto given = test::argumentsOf(*program, 1);
  const auto got = onDevice(module, kNewest);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QCOMPARE(got->onHost, 0);
  QVERIFY2(got->result, got->result ? "" : got->result.diagnostics()[0].message.c_str());
  for (int64_t i = 0; i < 8; ++i) QCOMPARE((*got->result)->at(i), (*given)[0].tensor().at(7 - i));
  // What is no whole 16 bytes is refused.
  const auto odd = textOf(QString::fromStdString(module).replace("x.data, 0, 32, 0", "x.data, 0, 20, 0").toStdString(),
                          kNewest, "default");
  QVERIFY(!odd);
  QCOMPARE(odd.diagnostics()[0].rule, std::string("codegen.unsupported"));
}

namespace {

/// One thread has a box of three rows of 64 copied, the last of them behind the end of the tensor of 64 by 8; the
/// places of its pieces of 16 bytes are those of the pattern.
std::string boxKernel(const QString& copy) {
  return QString(R"(from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def k(x: T.Buffer((8, 64), "float16"), y: T.Buffer((192,), "float16")):
        with T.sblock("root"):
            for t in T.thread_binding(192, thread="threadIdx.x"):
                with T.sblock(""):
                    ours = T.sblock_alloc_buffer((192,), "float16", scope="shared")
                    T.evaluate(T.create_barriers(1))
                    if t == 0:
                        T.evaluate(T.ptx_init_barrier_thread_count(0, 1))
                        T.evaluate(T.rx_fence_async())
                    T.evaluate(T.tvm_storage_sync("shared"))
                    if t == 0:
                        T.evaluate(T.ptx_arrive_barrier_expect_tx(0, 384))
                        T.evaluate(%1)
                    T.evaluate(T.ptx_wait_barrier(0, 0))
                    y[t] = ours[t]

    @R.function
    def main(x: R.Tensor((8, 64), dtype="float16")):
        cls = Module
        lv = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((192,), dtype="float16"))
        return lv
)")
      .arg(copy)
      .toStdString();
}
constexpr const char* kBox = "T.rx_copy_tile(\"float16\", ours.data, 0, x.data, 0, 128, 64, 8, 64, 64, 3, 0, 6)";

}  // namespace

void TestWarpGroups::copiesBoxes() {
  const std::string module = boxKernel(kBox);
  const auto program = test::programOf(module, kNewest);
  QVERIFY(program);
  const auto given = test::argumentsOf(*program, 1);
  const auto got = onDevice(module, kNewest);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QCOMPARE(got->onHost, 0);
  QVERIFY2(got->result, got->result ? "" : got->result.diagnostics()[0].message.c_str());
  for (int64_t i = 0; i < 192; ++i) {
    const int64_t row = i / 64, column = i % 64 ^ row * 8;
    const double want = row < 2 ? (*given)[0].tensor().at((6 + row) * 64 + column) : 0;
    QCOMPARE((*got->result)->at(i), want);
  }
}

/// A copy that nobody waits for has not come, and the memory that it goes to is gone.
void TestWarpGroups::nobodyWaits() {
  const std::string waits = "                    T.evaluate(T.ptx_wait_barrier(0, 0))\n";
  const std::string without = QString::fromStdString(boxKernel(kBox)).remove(waits.c_str()).toStdString();
  const auto got = onDevice(without, kNewest);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY(!got->result);
  const std::string& said = got->result.diagnostics()[0].message;
  QVERIFY2(said.find("CUDA_ERROR_ASSERT") != std::string::npos, said.c_str());
  cuda_double::control().reset();
  // Groups of copies: those before the last one have come.
  const QString body =
      "for t in T.thread_binding(1, thread=\"threadIdx.x\"):\n"
      "    with T.sblock(\"\"):\n"
      "        ours = T.sblock_alloc_buffer((8,), \"float32\", scope=\"shared\")\n"
      "        for i in range(8):\n"
      "            ours[i] = T.float32(-1)\n"
      "        T.evaluate(T.ptx.cp_async(\"float32\", ours.data, 0, x.data, 0, 16))\n"
      "        T.evaluate(T.ptx.cp_async.commit_group())\n"
      "        T.evaluate(T.ptx.cp_async(\"float32\", ours.data, 4, x.data, 4, 16))\n"
      "        T.evaluate(T.ptx.cp_async.commit_group())\n"
      "        T.evaluate(T.ptx.cp_async.wait_group(%1))\n"
      "        for i in range(8):\n"
      "            y[i] = ours[i]";
  for (const int64_t left : {2, 1, 0}) {
    const std::string module = kernelOf("float32 float32", body.arg(left));
    const auto program = test::programOf(module, kNewest);
    QVERIFY(program);
    const auto given = test::argumentsOf(*program, 1);
    const auto made = onDevice(module, kNewest);
    QVERIFY(made && made->result);
    for (int64_t i = 0; i < 8; ++i)
      QCOMPARE((*made->result)->at(i), i < 8 - 4 * left ? (*given)[0].tensor().at(i) : -1.0);
  }
}

void TestWarpGroups::refusesBoxes_data() {
  QTest::addColumn<QString>("copy");
  const auto row = [](const char* name, const char* from, const char* to) {
    QTest::newRow(name) << QString(kBox).replace(from, to);
  };
  row("an extent that is not known before", "128, 64, 8, 64", "128, 64, T.Cast(\"int32\", x[0, 0]), 64");
  row("no elements of a box", "64, 3, 0, 6", "64, 0, 0, 6");
  row("too few numbers", ", 0, 6)", ", 0)");
  row("memory of the kernel's own", "x.data", "ours.data");
}

void TestWarpGroups::refusesBoxes() {
  QFETCH(QString, copy);
  const auto made = textOf(boxKernel(copy), kNewest, "default");
  QVERIFY(!made);
  QCOMPARE(made.diagnostics()[0].rule, std::string("codegen.unsupported"));
}

/// What the driver has against a map comes with its call.
void TestWarpGroups::mapsFail() {
  // Lines of 24 bytes, where the device takes multiples of 16.
  const std::string odd = boxKernel(QString(kBox).replace("64, 8, 64, 64, 3", "12, 8, 12, 64, 3"));
  const auto got = onDevice(odd, kNewest);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY(!got->result);
  const Diagnostic& why = got->result.diagnostics()[0];
  QVERIFY2(why.message.find("cuTensorMapEncodeTiled") != std::string::npos, why.message.c_str());
  QVERIFY(!why.fix.empty());
  cuda_double::control().reset();
}

QTEST_GUILESS_MAIN(TestWarpGroups)
#include "tst_warp_groups.moc"
