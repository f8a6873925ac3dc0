// Primitives of schedules: what they refuse leaves the kernel as it was.
#include <QtTest>

#include "core/script/print.h"
#include "kernel_result.h"
#include "scheduled_kernels.h"

using namespace rx;
using namespace rx::schedule;
using namespace rx::test;

class TestRefusals : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refuses_data();
  void refuses();
};

Q_DECLARE_METATYPE(Action)

void TestRefusals::refuses_data() {
  QTest::addColumn<QString>("kernel");
  QTest::addColumn<Action>("action");
  QTest::addColumn<QString>("rule");
  auto row = [](const char* name, const char* kernel, Action action, const char* rule) {
    QTest::newRow(name) << QString(kernel) << std::move(action) << QString(rule);
  };
  auto unit = [](const auto& result) -> Result<Unit> {
    if (!result) return result.failure();
    return Unit{};
  };
  row(
      "split into too little", kSums,
      [=](Schedule& s) {
        return unit(split(s, loopOf(s, "sum", 1), {2, 3}));
      },
      "schedule.split");
  row(
      "split by nothing", kSums,
      [=](Schedule& s) {
        return unit(split(s, loopOf(s, "sum", 1), {0, -1}));
      },
      "schedule.split");
  row(
      "split an annotated loop", kTurned,
      [=](Schedule& s) -> Result<Unit> {
        const LoopRef loop = loopOf(s, "turn", 0);
        RX_CHECK(annotate(s, loop, "a", ir::intAttr(1)));
        return unit(split(s, loop, {0, 2}));
      },
      "schedule.split");
  row(
      "fuse loops apart", kSums,
      [=](Schedule& s) {
        return unit(fuse(s, std::array{loopOf(s, "double", 0), loopOf(s, "sum", 1)}));
      },
      "schedule.fuse");
  row(
      "reorder loops apart", kSums,
      [](Schedule& s) {
        return reorder(s, std::array{loopOf(s, "double", 0), loopOf(s, "sum", 1)});
      },
      "schedule.reorder");
  row(
      "bind to nothing", kSums, [](Schedule& s) { return bindTo(s, loopOf(s, "sum", 0), "threadIdx.q"); },
      "schedule.bind");
  row(
      "parallel sums", kSums, [](Schedule& s) { return parallel(s, loopOf(s, "sum", 1)); }, "schedule.parallel");
  row(
      "sums over blocks of threads", kSums, [](Schedule& s) { return bindTo(s, loopOf(s, "sum", 1), "blockIdx.x"); },
      "schedule.bind");
  row(
      "annotate twice", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(annotate(s, loopOf(s, "sum", 0), "a", ir::intAttr(1)));
        return annotate(s, loopOf(s, "sum", 0), "a", ir::intAttr(2));
      },
      "schedule.annotate");
  row(
      "align a parameter", kSums, [](Schedule& s) { return storageAlign(s, blockOf(s, "sum"), 0, 0, 32, 1); },
      "schedule.storage_align");
  row(
      "scope of a parameter", kSums, [](Schedule& s) { return setScope(s, blockOf(s, "sum"), 0, "local"); },
      "schedule.set_scope");
  row(
      "inline a result", kSums, [](Schedule& s) { return computeInline(s, blockOf(s, "sum")); },
      "schedule.compute_inline");
  row(
      "inline an output", kTurned, [](Schedule& s) { return computeInline(s, blockOf(s, "turn")); },
      "schedule.compute_inline");
  row(
      "inline backwards into nothing", kTurned, [](Schedule& s) { return reverseComputeInline(s, blockOf(s, "add")); },
      "schedule.reverse_compute_inline");
  row(
      "compute an output elsewhere", kTurned,
      [](Schedule& s) { return computeAt(s, blockOf(s, "turn"), loopOf(s, "add", 0), false); }, "schedule.compute_at");
  row(
      "compute at its own loop", kSums,
      [](Schedule& s) { return computeAt(s, blockOf(s, "double"), loopOf(s, "double", 0), false); },
      "schedule.compute_at");
  row(
      "behind itself", kTurned,
      [](Schedule& s) { return reverseComputeAt(s, blockOf(s, "turn"), loopOf(s, "turn", 0), false); },
      "schedule.reverse_compute_at");
  row(
      "cache what is not read", kSums, [=](Schedule& s) { return unit(cacheRead(s, blockOf(s, "sum"), 3, "local")); },
      "schedule.cache_read");
  row(
      "cache what is not written", kSums,
      [=](Schedule& s) { return unit(cacheWrite(s, blockOf(s, "sum"), 1, "local")); }, "schedule.cache_write");
  row(
      "decompose no reduction", kSums,
      [=](Schedule& s) { return unit(decomposeReduction(s, blockOf(s, "double"), loopOf(s, "double", 0))); },
      "schedule.decompose_reduction");
  row(
      "decompose too far inside", kProduct,
      [=](Schedule& s) -> Result<Unit> {
        RX_CHECK(reorder(s, std::array{loopOf(s, "product", 2), loopOf(s, "product", 0)}));
        return unit(decomposeReduction(s, blockOf(s, "product"), loopOf(s, "product", 2)));
      },
      "schedule.decompose_reduction");
  row(
      "factor a place", kSums, [=](Schedule& s) { return unit(rfactor(s, loopOf(s, "sum", 0), 0)); },
      "schedule.rfactor");
  row(
      "factor along no axis", kSums, [=](Schedule& s) { return unit(rfactor(s, loopOf(s, "sum", 1), 5)); },
      "schedule.rfactor");
  row(
      "reindex nothing", kTurned,
      [=](Schedule& s) {
        return unit(reindex(s, blockOf(s, "turn"), {Access::Read, 1}));
      },
      "schedule.reindex");
  row(
      "two elements at one place", kTurned,
      [](Schedule& s) {
        return transformLayout(s, blockOf(s, "add"), {Access::Write, 0}, folded());
      },
      "schedule.transform_layout");
  row(
      "two steps in one", kTurned, [](Schedule& s) { return transformBlockLayout(s, blockOf(s, "turn"), folded()); },
      "schedule.transform_block_layout");
  row(
      "pad by nothing", kProduct,
      [](Schedule& s) {
        return padEinsum(s, blockOf(s, "product"), std::array<int64_t, 3>{4, 0, 4});
      },
      "schedule.pad_einsum");
  row(
      "pad a maximum", kLargest,
      [](Schedule& s) {
        return padEinsum(s, blockOf(s, "largest"), std::array<int64_t, 2>{1, 5});
      },
      "schedule.pad_einsum");
  row(
      "pad in shared loops", kProduct,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(init, decomposeReduction(s, blockOf(s, "product"), loopOf(s, "product", 1)));
        return padEinsum(s, init, std::array<int64_t, 2>{4, 4});
      },
      "schedule.pad_einsum");
  row(
      "inline backwards into a sum of one step", kOneStep,
      [](Schedule& s) -> Result<Unit> {
        const auto a = make<tir::Var>("a", DataType::Int(32)), b = make<tir::Var>("b", DataType::Int(32));
        const auto same = make<tir::IndexMap>(Array<tir::VarRef>{a, b}, Array<tir::PrimExpr>{a, b});
        RX_CHECK(transformBlockLayout(s, blockOf(s, "sum"), *same));
        return reverseComputeInline(s, blockOf(s, "half"));
      },
      "schedule.reverse_compute_inline");
  row(
      "reindex what is updated", kProduct,
      [=](Schedule& s) -> Result<Unit> {
        RX_CHECK(decomposeReduction(s, blockOf(s, "product"), loopOf(s, "product", 2)));
        return unit(reindex(s, blockOf(s, "product_update"), {Access::Read, 0}));
      },
      "schedule.reindex");
  row(
      "reindex beyond a buffer", kLargest,
      [=](Schedule& s) {
        return unit(reindex(s, blockOf(s, "pad"), {Access::Read, 0}));
      },
      "schedule.reindex");
  row(
      "blockize two blocks", kProduct,
      [=](Schedule& s) -> Result<Unit> {
        RX_CHECK(decomposeReduction(s, blockOf(s, "product"), loopOf(s, "product", 1)));
        return unit(blockize(s, loopOf(s, "product_update", 0)));
      },
      "schedule.blockize");
  row(
      "blockize tiles that end beyond", kSums,
      [=](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "sum", 1), {0, 4}));
        return unit(blockize(s, parts[1]));
      },
      "schedule.blockize");
  row(
      "blockize steps that are no tiles", kTurned,
      [=](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "turn", 0), {0, 5}));
        RX_CHECK(reorder(s, std::array{parts[1], parts[0]}));
        return unit(blockize(s, parts[0]));
      },
      "schedule.blockize");
  row(
      "blockize sums cut short together", kCutShort,
      [=](Schedule& s) { return unit(blockize(s, loopOf(s, "sum", 0))); }, "schedule.blockize");
  row(
      "tensorize by nothing known", kTiled,
      [](Schedule& s) { return tensorize(s, loopOf(s, "product", 0), "rx.product_4x16x4_f64"); },
      "schedule.no-intrinsic");
  row(
      "tensorize what can be no block", kProduct,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "product", 1), {0, 4}));
        return tensorize(s, parts[1], "rx.product_4x16x4_f32");
      },
      "schedule.tensorize");
  row(
      "tensorize where sums begin", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(inner, tile(s, 4, 16, 4));
        return tensorize(s, inner, "rx.product_4x16x4_f32");
      },
      "schedule.tensorize");
  row(
      "tensorize tiles of another size", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(inner, tile(s, 4, 8, 4));
        RX_TRY(block, blockize(s, inner));
        RX_CHECK(decomposeReduction(s, block, s.loops(block)[3]));
        return tensorize(s, blockOf(s, "product_o_update"), "rx.product_4x16x4_f32");
      },
      "schedule.tensorize");
  row(
      "tensorize by another computation", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(init, tilesApart(s));
        return tensorize(s, init, "rx.product_4x16x4_f32");
      },
      "schedule.tensorize");
  row(
      "tensorize another type", kDots,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(decomposeReduction(s, blockOf(s, "dot"), loopOf(s, "dot", 0)));
        return tensorize(s, loopOf(s, "dot_init", 0), "rx.zero_4x16_f32");
      },
      "schedule.tensorize");
  row(
      "tensorize another memory", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(cacheRead(s, blockOf(s, "product"), 1, "shared"));
        RX_CHECK(tilesApart(s));
        return tensorize(s, blockOf(s, "product_o_update"), "rx.product_4x16x4_f32");
      },
      "schedule.tensorize");
  row(
      "tensorize loops in another order", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(tilesApart(s));
        const auto loops = s.loops(blockOf(s, "product"));
        RX_CHECK(reorder(s, std::array{loops[2], loops[0]}));
        return tensorize(s, blockOf(s, "product_o_update"), "rx.product_4x16x4_f32");
      },
      "schedule.tensorize");
}

void TestRefusals::refuses() {
  QFETCH(QString, kernel);
  QFETCH(Action, action);
  QFETCH(QString, rule);
  auto schedule = scheduleOf(qPrintable(kernel));
  QVERIFY(schedule);
  const auto expected = resultOf(schedule->function());
  QVERIFY(expected);
  const Result<Unit> done = action(*schedule);
  QVERIFY2(!done, script::printNode(*schedule->function()).c_str());
  QCOMPARE(QString::fromStdString(done.diagnostics()[0].rule), rule);
  const auto got = resultOf(schedule->function());
  QVERIFY(got && *got == *expected);
}

QTEST_GUILESS_MAIN(TestRefusals)
#include "tst_refusals.moc"
