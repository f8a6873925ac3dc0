// Primitives of schedules: what they make computes the same.
#include <QtTest>

#include "core/ir/all_nodes.h"
#include "core/schedule/intrinsics.h"
#include "core/schedule/primitives.h"
#include "core/script/print.h"
#include "kernel_result.h"
#include "scheduled_kernels.h"

using namespace rx;
using namespace rx::schedule;
using namespace rx::test;

class TestPrimitives : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void knowsBlocksByName();
  void intrinsicsDoWhatTheySay();
};

Q_DECLARE_METATYPE(Action)

void TestPrimitives::computesTheSame_data() {
  QTest::addColumn<QString>("kernel");
  QTest::addColumn<Action>("action");
  QTest::addColumn<QString>("shows");
  auto row = [](const char* name, const char* kernel, Action action, const char* shows) {
    QTest::newRow(name) << QString(kernel) << std::move(action) << QString(shows);
  };
  row(
      "split exactly", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(split(s, loopOf(s, "sum", 1), {0, 5}));
        return Unit{};
      },
      "k_0 * 5 + k_1");
  row(
      "split under a predicate", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(split(s, loopOf(s, "sum", 1), {0, 4}));
        return Unit{};
      },
      "T.where(k_0 * 4 + k_1 < 10)");
  row(
      "fuse", kTurned,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(fuse(s, s.loops(blockOf(s, "turn"))));
        return Unit{};
      },
      "i_j_fused // 6");
  row(
      "reorder", kSums,
      [](Schedule& s) {
        return reorder(s, std::array{loopOf(s, "sum", 1), loopOf(s, "sum", 0)});
      },
      "for k, i in");
  row(
      "add a unit loop", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(addUnitLoop(s, blockOf(s, "sum")));
        return Unit{};
      },
      "for i, k, u in T.grid(6, 10, 1)");
  row(
      "parallel", kSums, [](Schedule& s) { return parallel(s, loopOf(s, "sum", 0)); }, "T.parallel(6)");
  row(
      "vectorize", kTurned, [](Schedule& s) { return vectorize(s, loopOf(s, "turn", 1)); }, "T.vectorized(6)");
  row(
      "unroll", kSums, [](Schedule& s) { return unroll(s, loopOf(s, "sum", 1)); }, "T.unroll(10)");
  row(
      "annotate", kSums,
      [](Schedule& s) { return annotate(s, loopOf(s, "sum", 0), "pragma_unroll_explicit", ir::intAttr(1)); },
      "\"pragma_unroll_explicit\": 1");
  row(
      "align storage", kSums, [](Schedule& s) { return storageAlign(s, blockOf(s, "double"), 0, 0, 32, 1); },
      "buffer_dim_align");
  row(
      "set a scope", kSums, [](Schedule& s) { return setScope(s, blockOf(s, "double"), 0, "local"); },
      "scope=\"local\"");
  row(
      "inline", kSums, [](Schedule& s) { return computeInline(s, blockOf(s, "double")); },
      "y[vi] + x[vi, vk] * T.float32(2.0)");
  row(
      "inline backwards", kTurned, [](Schedule& s) { return reverseComputeInline(s, blockOf(s, "turn")); },
      "y[vj, vi] = x[vi, vj] + T.float32(1.0)");
  row(
      "compute at", kSums, [](Schedule& s) { return computeAt(s, blockOf(s, "double"), loopOf(s, "sum", 0), false); },
      R"(vi, vj = T.axis.remap("SS", [i, ax0]))");
  row(
      "compute at a chunk", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "sum", 1), {0, 4}));
        return computeAt(s, blockOf(s, "double"), parts[0], false);
      },
      "T.where(k_0 * 4 + ax0 < 10)");
  row(
      "reverse compute at", kTurned,
      [](Schedule& s) { return reverseComputeAt(s, blockOf(s, "turn"), loopOf(s, "add", 0), true); },
      "for ax0, ax1 in");
  row(
      "cache an input", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(cacheRead(s, blockOf(s, "double"), 0, "shared"));
        return Unit{};
      },
      "T.sblock(\"x_shared\")");
  row(
      "cache what another block writes", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(cacheRead(s, blockOf(s, "sum"), 0, "local"));
        return Unit{};
      },
      "T.sblock(\"t_local\")");
  row(
      "cache a result", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(cacheWrite(s, blockOf(s, "sum"), 0, "local"));
        return Unit{};
      },
      "y[v0] = y_local[v0]");
  row(
      "decompose a reduction", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(decomposeReduction(s, blockOf(s, "sum"), loopOf(s, "sum", 1)));
        return Unit{};
      },
      "T.sblock(\"sum_update\")");
  row(
      "factor a reduction", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "sum", 1), {0, 5}));
        RX_CHECK(rfactor(s, parts[1], 0));
        return Unit{};
      },
      "T.sblock(\"sum_rf\")");
  row(
      "factor along the last axis", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "sum", 1), {0, 4}));
        RX_CHECK(rfactor(s, parts[0], -1));
        return Unit{};
      },
      "(6, 3)");
  row(
      "factor under a predicate", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(rows, split(s, loopOf(s, "sum", 0), {0, 4}));
        (void)rows;
        RX_CHECK(rfactor(s, loopOf(s, "sum", 2), 0));
        return Unit{};
      },
      "T.where(i_0 * 4 + i_1 < 6)");
  row(
      "reindex", kTurned,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(reindex(s, blockOf(s, "turn"), {Access::Read, 0}));
        return Unit{};
      },
      "t_reindex[v0, v1] = t[v1, v0]");
  row(
      "move elements", kTurned,
      [](Schedule& s) {
        return transformLayout(s, blockOf(s, "add"), {Access::Write, 0}, swapped());
      },
      "y[vi, vj] = t[vi, vj]");
  row(
      "other axes", kTurned, [](Schedule& s) { return transformBlockLayout(s, blockOf(s, "turn"), swapped()); },
      "y[v1, v0] = t[v0, v1]");
  row(
      "pad", kProduct,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(reindex(s, blockOf(s, "product"), {Access::Read, 0}));
        RX_CHECK(reindex(s, blockOf(s, "product"), {Access::Read, 1}));
        RX_CHECK(reindex(s, blockOf(s, "product"), {Access::Write, 0}));
        return padEinsum(s, blockOf(s, "product"), std::array<int64_t, 3>{4, 4, 4});
      },
      "T.if_then_else(v0 < 6 and v1 < 10");
  row(
      "blockize", kTurned,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "add", 1), {0, 5}));
        RX_CHECK(blockize(s, parts[1]));
        return Unit{};
      },
      "T.reads(x[vi_o, vj_o * 5:vj_o * 5 + 5])");
  row(
      "blockize all loops", kTurned,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(blockize(s, loopOf(s, "turn", 0)));
        return Unit{};
      },
      "T.reads(t[0:6, 0:10])");
  row(
      "blockize a part of a sum", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "sum", 1), {0, 5}));
        RX_CHECK(blockize(s, parts[1]));
        return Unit{};
      },
      "T.sblock(\"sum_init\")");
  row(
      "blockize a whole sum", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(blockize(s, loopOf(s, "sum", 1)));
        return Unit{};
      },
      "vk_o = T.axis.reduce(1, 0)");
  row(
      "blockize fused loops", kTurned,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(fused, fuse(s, s.loops(blockOf(s, "turn"))));
        RX_CHECK(blockize(s, fused));
        return Unit{};
      },
      "i_j_fused // 6");
  row(
      "blockize beside a predicate of the outer loops", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "double", 0), {0, 4}));
        (void)parts;
        RX_CHECK(blockize(s, loopOf(s, "double", 2)));
        return Unit{};
      },
      "T.where(i_0 * 4 + i_1 < 6)");
  row(
      "blockize around a predicate", kSums,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "sum", 1), {0, 4}));
        RX_CHECK(blockize(s, parts[0]));
        return Unit{};
      },
      "T.where(k_0 * 4 + k_1 < 10)");
  row(
      "blockize in any number of rows", kAnyRows,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(parts, split(s, loopOf(s, "add", 1), {0, 4}));
        RX_CHECK(blockize(s, parts[1]));
        return Unit{};
      },
      "T.writes(y[vi_o, vj_o * 4:vj_o * 4 + 4])");
  row(
      "blockize any number of rows", kAnyRows,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(blockize(s, loopOf(s, "add", 0)));
        return Unit{};
      },
      "vi_o = T.axis.spatial(1, 0)");
  row(
      "decompose a sum of tiles", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(tilesApart(s));
        return Unit{};
      },
      "T.sblock(\"product_o_update\")");
  row(
      "tensorize a product", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(tilesApart(s));
        return tensorize(s, blockOf(s, "product_o_update"), "rx.product_4x16x4_f32");
      },
      "T.match_buffer(a[vp_o, vi_o * ");
  row(
      "tensorize what sums begin with", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_TRY(init, tilesApart(s));
        return tensorize(s, init, "rx.zero_4x16_f32");
      },
      "for j in T.vectorized(16)");
  row(
      "tensorize two blocks by one intrinsic", kTiled,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(tilesApart(s));
        const BlockRef update = blockOf(s, "product_o_update");
        RX_TRY(parts, split(s, s.loops(update)[3], {1, 3}));
        RX_CHECK(unroll(s, parts[1]));
        return tensorize(s, update, "rx.product_4x16x4_f32");
      },
      "for k_0_1 in T.unroll(3)");
  row(
      "tensorize a loop", kDots,
      [](Schedule& s) -> Result<Unit> {
        RX_CHECK(decomposeReduction(s, blockOf(s, "dot"), loopOf(s, "dot", 0)));
        const auto loops = s.loops(blockOf(s, "dot_update"));
        RX_TRY(i, split(s, loops[0], {0, 16}));
        RX_TRY(k, split(s, loops[1], {0, 4}));
        RX_CHECK(reorder(s, std::array{i[0], k[0], i[1], k[1]}));
        return tensorize(s, i[1], "rx.dot_16x4_i8");
      },
      "T.sblock(\"dot_update_o\")");
}

void TestPrimitives::computesTheSame() {
  QFETCH(QString, kernel);
  QFETCH(Action, action);
  QFETCH(QString, shows);
  auto schedule = scheduleOf(qPrintable(kernel));
  QVERIFY(schedule);
  const auto expected = resultOf(schedule->function());
  QVERIFY(expected);
  const Result<Unit> done = action(*schedule);
  QVERIFY2(done, done ? "" : done.diagnostics()[0].message.c_str());
  const QString text = QString::fromStdString(script::printNode(*schedule->function()));
  QVERIFY2(text.contains(shows), qPrintable(text));
  const auto got = resultOf(schedule->function());
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY2(*got == *expected, qPrintable(text));
}

void TestPrimitives::knowsBlocksByName() {
  auto schedule = scheduleOf(kSums);
  QVERIFY(schedule);
  QVERIFY(schedule->block("sum"));
  const auto missing = schedule->block("product");
  QVERIFY(!missing);
  QCOMPARE(missing.diagnostics()[0].rule, std::string("schedule.no-block"));
  const BlockRef doubled = blockOf(*schedule, "double");
  QVERIFY(schedule->has(doubled));
  QVERIFY(computeInline(*schedule, doubled));
  QVERIFY(!schedule->has(doubled));
}

void TestPrimitives::intrinsicsDoWhatTheySay() {
  std::string_view before;
  for (const IntrinsicRow& row : intrinsicRows()) {
    QVERIFY2(before < row.name, row.name);
    before = row.name;
    const auto intrinsic = intrinsicNamed(row.name);
    QVERIFY2(intrinsic, row.name);
    const auto expected = resultOf(intrinsic->description), got = resultOf(intrinsic->implementation);
    QVERIFY2(expected && got && *got == *expected, row.name);
    // A description fits itself: its form is the one that tensorize looks for.
    auto itself = Schedule::of(intrinsic->description);
    QVERIFY(itself);
    const Result<Unit> done = tensorize(*itself, loopOf(*itself, "step", 0), row.name);
    QVERIFY2(done, done ? "" : done.diagnostics()[0].message.c_str());
    const auto made = resultOf(itself->function());
    QVERIFY2(made && *made == *expected, row.name);
  }
}

QTEST_GUILESS_MAIN(TestPrimitives)
#include "tst_primitives.moc"
