// Rules of default schedules: what they make of a kernel computes the same, on sizes that nothing divides; what is none
// of theirs they say why.
#include <QtTest>
#include <cmath>

#include "core/ir/all_nodes.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/rules.h"
#include "core/script/parse.h"
#include "core/script/print.h"
#include "kernel_result.h"

using namespace rx;
using namespace rx::schedule;
using rx::test::resultOf;

class TestRules : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void saysWhyNot_data();
  void saysWhyNot();
  void saysWhatIsScarce();
  void knowsNoOthers();
};

namespace {

constexpr const char* kHead = "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n";

constexpr const char* kChain = R"(def k(x: T.Buffer((7, 30), "float32"), y: T.Buffer((30, 7), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((7, 30), "float32")
        for i, j in T.grid(7, 30):
            with T.sblock("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = x[vi, vj] * T.float32(2)
        for i, j in T.grid(30, 7):
            with T.sblock("turn"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = t[vj, T.int32(29) - vi]
)";
constexpr const char* kRows = R"(def k(x: T.Buffer((6, 100), "float32"), y: T.Buffer((6,), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((6,), "float32")
        for i, k in T.grid(6, 100):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    t[vi] = T.float32(0)
                t[vi] = t[vi] + x[vi, vk]
        for i in range(6):
            with T.sblock("half"):
                vi = T.axis.spatial(6, i)
                y[vi] = t[vi] * T.float32(0.5)
)";
constexpr const char* kColumns = R"(def k(x: T.Buffer((50, 12), "float32"), y: T.Buffer((12,), "float32")):
    with T.sblock("root"):
        for i, k in T.grid(12, 50):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vk, vi]
)";
constexpr const char* kSoftmax = R"(def k(x: T.Buffer((3, 70), "float32"), y: T.Buffer((3, 70), "float32")):
    with T.sblock("root"):
        m = T.sblock_alloc_buffer((3,), "float32")
        s = T.sblock_alloc_buffer((3,), "float32")
        for i, k in T.grid(3, 70):
            with T.sblock("max"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    m[vi] = T.min_value("float32")
                m[vi] = T.max(m[vi], x[vi, vk])
        for i, k in T.grid(3, 70):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    s[vi] = T.float32(0)
                s[vi] = s[vi] + T.exp(x[vi, vk] - m[vi])
        for i, k in T.grid(3, 70):
            with T.sblock("divide"):
                vi, vk = T.axis.remap("SS", [i, k])
                y[vi, vk] = T.exp(x[vi, vk] - m[vi]) / s[vi]
)";
constexpr const char* kMatrixVector =
    R"(def k(v: T.Buffer((96,), "float32"), a: T.Buffer((40, 96), "float32"), y: T.Buffer((40,), "float32")):
    with T.sblock("root"):
        for i, k in T.grid(40, 96):
            with T.sblock("gemv"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + v[vk] * a[vi, vk]
)";
constexpr const char* kVectorMatrix =
    R"(def k(v: T.Buffer((256,), "float32"), a: T.Buffer((256, 40), "float32"), y: T.Buffer((40,), "float32")):
    with T.sblock("root"):
        for i, k in T.grid(40, 256):
            with T.sblock("gemv"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + v[vk] * a[vk, vi]
)";
constexpr const char* kProduct =
    R"(def k(a: T.Buffer((37, 50), "float32"), b: T.Buffer((50, 29), "float32"), c: T.Buffer((37, 29), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((37, 29), "float32")
        for i, j, k in T.grid(37, 29, 50):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    t[vi, vj] = T.float32(0)
                t[vi, vj] = t[vi, vj] + a[vi, vk] * b[vk, vj]
        for i, j in T.grid(37, 29):
            with T.sblock("half"):
                vi, vj = T.axis.remap("SS", [i, j])
                c[vi, vj] = t[vi, vj] * T.float32(0.5)
)";
constexpr const char* kTranspose = R"(def k(x: T.Buffer((45, 20), "float32"), y: T.Buffer((20, 45), "float32")):
    with T.sblock("root"):
        for i, j in T.grid(20, 45):
            with T.sblock("turn"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vj, vi]
)";

/// Scores over seven columns, their softmax, and what it weighs.
constexpr const char* kAttention =
    R"(def k(q: T.Buffer((2, 6, 5), "float32"), c: T.Buffer((2, 5, 7), "float32"), v: T.Buffer((2, 7, 3), "float32"), y: T.Buffer((2, 3, 6), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((2, 6, 7), "float32")
        h = T.sblock_alloc_buffer((2, 6, 7), "float32")
        m = T.sblock_alloc_buffer((2, 6), "float32")
        e = T.sblock_alloc_buffer((2, 6, 7), "float32")
        s = T.sblock_alloc_buffer((2, 6), "float32")
        w = T.sblock_alloc_buffer((2, 6, 7), "float32")
        o = T.sblock_alloc_buffer((2, 6, 3), "float32")
        for b, i, j, k in T.grid(2, 6, 7, 5):
            with T.sblock("scores"):
                vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
                with T.init():
                    t[vb, vi, vj] = T.float32(0)
                t[vb, vi, vj] = t[vb, vi, vj] + q[vb, vi, vk] * c[vb, vk, vj]
        for b, i, j in T.grid(2, 6, 7):
            with T.sblock("scaled"):
                vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                h[vb, vi, vj] = t[vb, vi, vj] * T.float32(0.125)
        for b, i, j in T.grid(2, 6, 7):
            with T.sblock("max"):
                vb, vi, vj = T.axis.remap("SSR", [b, i, j])
                with T.init():
                    m[vb, vi] = T.min_value("float32")
                m[vb, vi] = T.max(m[vb, vi], h[vb, vi, vj])
        for b, i, j in T.grid(2, 6, 7):
            with T.sblock("exp"):
                vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                e[vb, vi, vj] = T.exp(h[vb, vi, vj] - m[vb, vi])
        for b, i, j in T.grid(2, 6, 7):
            with T.sblock("sum"):
                vb, vi, vj = T.axis.remap("SSR", [b, i, j])
                with T.init():
                    s[vb, vi] = T.float32(0)
                s[vb, vi] = s[vb, vi] + e[vb, vi, vj]
        for b, i, j in T.grid(2, 6, 7):
            with T.sblock("weights"):
                vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                w[vb, vi, vj] = e[vb, vi, vj] / s[vb, vi]
        for b, i, j, k in T.grid(2, 6, 3, 7):
            with T.sblock("weighed"):
                vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
                with T.init():
                    o[vb, vi, vj] = T.float32(0)
                o[vb, vi, vj] = o[vb, vi, vj] + w[vb, vi, vk] * v[vb, vk, vj]
        for b, j, i in T.grid(2, 3, 6):
            with T.sblock("turn"):
                vb, vj, vi = T.axis.remap("SSS", [b, j, i])
                y[vb, vj, vi] = o[vb, vi, vj]
)";
/// The largest over two axes around the one that stays.
constexpr const char* kMaxima = R"(def k(x: T.Buffer((3, 5, 70), "float32"), y: T.Buffer((5,), "float32")):
    with T.sblock("root"):
        for i, j, k in T.grid(5, 3, 70):
            with T.sblock("max"):
                vi, vj, vk = T.axis.remap("SRR", [i, j, k])
                with T.init():
                    y[vi] = T.min_value("float32")
                y[vi] = T.max(y[vi], x[vj, vi, vk])
)";
constexpr const char* kPermuted =
    R"(def k(x: T.Buffer((9, 3, 35), "float32"), a: T.Buffer((35,), "float32"), y: T.Buffer((3, 35, 9), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((3, 35, 9), "float32")
        for i, j, k in T.grid(3, 35, 9):
            with T.sblock("turn"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                t[vi, vj, vk] = x[vk, vi, vj]
        for i, j, k in T.grid(3, 35, 9):
            with T.sblock("scale"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                y[vi, vj, vk] = t[vi, vj, vk] * a[vj]
)";

constexpr const char* kShortAxis = R"(def k(x: T.Buffer((45, 3), "float32"), y: T.Buffer((3, 45), "float32")):
    with T.sblock("root"):
        for i, j in T.grid(3, 45):
            with T.sblock("turn"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vj, vi]
)";

/// As many rows as the caller has.
constexpr const char* kFewVectors = R"(def k(var_x: T.handle, a: T.Buffer((40, 96), "float32"), var_y: T.handle):
    n = T.int32()
    x = T.match_buffer(var_x, (n, 96), "float32")
    y = T.match_buffer(var_y, (n, 40), "float32")
    with T.sblock("root"):
        for i, j, k in T.grid(n, 40, 96):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * a[vj, vk]
)";
constexpr const char* kManyRows = R"(def k(var_a: T.handle, b: T.Buffer((64, 96), "float32"), var_c: T.handle):
    n = T.int32()
    a = T.match_buffer(var_a, (1, n, 64), "float32")
    c = T.match_buffer(var_c, (1, n, 96), "float32")
    with T.sblock("root"):
        for l, i, j, k in T.grid(1, n, 96, 64):
            with T.sblock("product"):
                vl, vi, vj, vk = T.axis.remap("SSSR", [l, i, j, k])
                with T.init():
                    c[vl, vi, vj] = T.float32(0)
                c[vl, vi, vj] = c[vl, vi, vj] + a[vl, vi, vk] * b[vk, vj]
)";

Result<tir::PrimFuncRef> kernelOf(const QString& text) {
  RX_TRY(module, script::parseModule(make<SourceFile>("k.py", kHead + text.toStdString())));
  return cast<tir::PrimFunc>(module->functions[0]);
}

/// Threads one after the other: each statement of a schedule has loops over threads of its own.
tir::PrimFuncRef oneByOne(const tir::PrimFuncRef& function) {
  return lower::withBody(
      function, lower::rewriteStatements(function->body, [](const tir::Stmt& statement) -> tir::Stmt {
        const auto* loop = as<tir::For>(statement);
        if (!loop || loop->forKind == tir::ForKind::Serial) return statement;
        return make<tir::For>(loop->loopVar, loop->min, loop->extent, tir::ForKind::Serial, loop->body);
      }));
}

Result<Outcome> applied(const QString& rule, const QString& target, const tir::PrimFuncRef& kernel) {
  RX_TRY(parsed, target::parseTarget(target.toStdString()));
  const RuleRow* row = findRule(rule.toStdString());
  return row->apply({kernel, *parsed, row->fallback});
}

}  // namespace

void TestRules::computesTheSame_data() {
  QTest::addColumn<QString>("rule");
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("text");
  auto row = [](const char* name, const char* rule, const char* target, const char* text) {
    QTest::newRow(name) << rule << target << text;
  };
  row("inlined", "gpu.Fallback", "cuda", kChain);
  row("sums in threads", "gpu.Fallback", "metal", kRows);
  row("sums along rows", "gpu.Reduction", "cuda", kRows);
  row("sums along columns", "gpu.Reduction", "cuda", kColumns);
  row("softmax", "gpu.GeneralReduction", "cuda", kSoftmax);
  row("softmax on the processor", "cpu.Reduction", "llvm", kSoftmax);
  row("matrix and vector", "gpu.GEMV", "cuda", kMatrixVector);
  row("matrix and vector on a phone", "gpu.GEMV", "opencl -device=adreno", kMatrixVector);
  row("vector and matrix", "gpu.GEMV", "metal", kVectorMatrix);
  row("vector and matrix on a phone", "gpu.GEMV", "opencl -device=adreno", kVectorMatrix);
  row("matrix and vector on the processor", "cpu.GEMV", "llvm", kMatrixVector);
  row("product", "gpu.Matmul", "cuda", kProduct);
  row("product on another device", "gpu.Matmul", "vulkan", kProduct);
  row("product on a phone", "gpu.Matmul", "opencl -device=adreno", kProduct);
  row("many rows on a phone", "gpu.Matmul", "opencl -device=adreno", kManyRows);
  row("a few vectors", "gpu.LowBatchGEMV", "cuda", kFewVectors);
  row("a few vectors on another device", "gpu.LowBatchGEMV", "metal", kFewVectors);
  row("transposed", "gpu.Transpose", "cuda", kTranspose);
  row("attention", "gpu.Attention", "cuda", kAttention);
  row("attention of one row in each group", "gpu.Attention", "cuda -max_shared_memory_per_block=80", kAttention);
  row("maxima over several axes", "gpu.RowReduction", "cuda", kMaxima);
  row("sums of rows by any device", "gpu.RowReduction", "metal", kRows);
  row("three axes in another order", "gpu.Permutation", "cuda", kPermuted);
  row("two axes in another order", "gpu.Permutation", "opencl", kTranspose);
}

void TestRules::computesTheSame() {
  QFETCH(QString, rule);
  QFETCH(QString, target);
  QFETCH(QString, text);
  const auto kernel = kernelOf(text);
  QVERIFY(kernel);
  const auto expected = resultOf(*kernel);
  QVERIFY(expected);
  const auto outcome = applied(rule, target, *kernel);
  QVERIFY2(outcome, outcome ? "" : outcome.diagnostics()[0].message.c_str());
  QVERIFY2(outcome->kernel, outcome->why.c_str());
  const auto got = resultOf(oneByOne(outcome->kernel));
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  for (size_t i = 0; i < expected->size(); ++i) {
    const double off = std::fabs((*got)[i] - (*expected)[i]);
    QVERIFY2(off <= 1e-5 * std::fabs((*expected)[i]), script::printNode(*outcome->kernel).c_str());
  }
}

void TestRules::saysWhyNot_data() {
  QTest::addColumn<QString>("rule");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("why");
  auto row = [](const char* rule, const char* text, const char* why) { QTest::newRow(why) << rule << text << why; };
  row("cpu.GEMV", kVectorMatrix, "the sums do not lie innermost in the matrix");
  row("cpu.GEMV", kRows, "it is no product of a matrix and a vector");
  row("cpu.Reduction", kColumns, "it has only one block");
  row("gpu.GEMV", kSoftmax, "it is not one block with an epilogue");
  row("gpu.GeneralReduction", kTranspose, "the last axes of the first block are not reduced");
  row("gpu.LowBatchGEMV", kProduct, "it is no product with a few vectors");
  row("gpu.Matmul", kSoftmax, "it has not one block that reduces, with data-parallel ones");
  row("gpu.Matmul", kMatrixVector, "its block is no product of two matrices");
  row("gpu.RMSNorm", kSoftmax, "no block takes a reciprocal square root");
  row("gpu.Reduction", kTranspose, "its block is no reduction");
  row("gpu.Attention", kSoftmax, "it is not rows of a product that are multiplied again");
  row("gpu.Attention", kProduct, "it is not rows of a product that are multiplied again");
  row("gpu.RowReduction", kColumns, "its steps do not lie beside each other");
  row("gpu.RowReduction", kTranspose, "its block is no reduction");
  row("gpu.RowReduction", kSoftmax, "it is not one block with an epilogue");
  row("gpu.Permutation", kRows, "it is more than one element at a time");
  row("gpu.Permutation", kChain, "what it reads lies in the order of what it writes");
  row("gpu.Permutation", kShortAxis, "an axis that it turns is short");
  row("gpu.TensorCores", kProduct, "not for devices before sm_80");
  row("gpu.Transpose", kProduct, "a block behind reduces");
}

/// What a device does not have enough of.
void TestRules::saysWhatIsScarce() {
  const auto refused = [](const char* rule, const char* target, const char* text) {
    const auto kernel = kernelOf(text);
    const auto outcome = kernel ? applied(rule, target, *kernel) : kernel.failure();
    return outcome && !outcome->kernel ? outcome->why : std::string();
  };
  QCOMPARE(refused("gpu.Attention", "cuda -max_shared_memory_per_block=60", kAttention),
           std::string("a row takes more memory than a group of threads shares"));
  QCOMPARE(refused("gpu.Permutation", "cuda -max_num_threads=128", kTranspose),
           std::string("the device has too few threads in a group"));
}

void TestRules::saysWhyNot() {
  QFETCH(QString, rule);
  QFETCH(QString, text);
  QFETCH(QString, why);
  const auto kernel = kernelOf(text);
  QVERIFY(kernel);
  const auto outcome = applied(rule, "cuda", *kernel);
  QVERIFY(outcome);
  QVERIFY(!outcome->kernel);
  QCOMPARE(QString::fromStdString(outcome->why), why);
}

void TestRules::knowsNoOthers() {
  QVERIFY(findRule("gpu.Fallback"));
  QVERIFY(!findRule("Fallback"));
  for (const RuleRow& row : ruleRows()) QCOMPARE(findRule(row.name), &row);
}

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
