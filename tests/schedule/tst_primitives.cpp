// Primitives of schedules: what they make computes the same, and what they refuse leaves the kernel as it was.
#include <fmt/format.h>

#include <QtTest>
#include <functional>

#include "core/ir/all_nodes.h"
#include "core/schedule/intrinsics.h"
#include "core/schedule/primitives.h"
#include "core/script/parse.h"
#include "core/script/print.h"
#include "kernel_result.h"

using namespace rx;
using namespace rx::schedule;
using rx::test::resultOf;

class TestPrimitives : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void refuses_data();
  void refuses();
  void knowsBlocksByName();
  void intrinsicsDoWhatTheySay();
};

namespace {

using Action = std::function<Result<Unit>(Schedule&)>;

/// y = sum over columns of 2 * x, by way of t = 2 * x; a row has 10 elements, and there are 6 of them.
constexpr const char* kSums = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(x: T.Buffer((6, 10), "float32"), y: T.Buffer((6,), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((6, 10), "float32")
        for i, j in T.grid(6, 10):
            with T.sblock("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = x[vi, vj] * T.float32(2)
        for i, k in T.grid(6, 10):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + t[vi, vk]
)";
/// y[j, i] = x[i, j] + 1, by way of t = x + 1.
constexpr const char* kTurned = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(x: T.Buffer((6, 10), "float32"), y: T.Buffer((10, 6), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((6, 10), "float32")
        for i, j in T.grid(6, 10):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = x[vi, vj] + T.float32(1)
        for i, j in T.grid(10, 6):
            with T.sblock("turn"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = t[vj, vi]
)";
/// A product of matrices.
constexpr const char* kProduct = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(a: T.Buffer((6, 10), "float32"), b: T.Buffer((10, 5), "float32"), c: T.Buffer((6, 5), "float32")):
    with T.sblock("root"):
        for i, j, k in T.grid(6, 5, 10):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
)";

/// The largest of sums, and a copy of x that reaches beyond it.
constexpr const char* kLargest = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(x: T.Buffer((6, 10), "float32"), y: T.Buffer((6,), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((6, 12), "float32")
        for i, j in T.grid(6, 12):
            with T.sblock("pad"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = T.if_then_else(vj < 10, x[vi, vj], T.float32(0))
        for i, k in T.grid(6, 12):
            with T.sblock("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(-100)
                y[vi] = T.max(y[vi], t[vi, vk] - T.float32(20))
)";

/// y = half of a sum of one step.
constexpr const char* kOneStep = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(x: T.Buffer((6, 1), "float32"), y: T.Buffer((6,), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((6,), "float32")
        for i, k in T.grid(6, 1):
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

/// A product of matrices in whole tiles of 4 x 16 x 4, one plane after the other.
constexpr const char* kTiled = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(a: T.Buffer((T.int64(2), T.int64(8), T.int64(12)), "float32"), b: T.Buffer((T.int64(12), T.int64(32)), "float32"), c: T.Buffer((T.int64(2), T.int64(8), T.int64(32)), "float32")):
    with T.sblock("root"):
        for p, i, j, k in T.grid(T.int64(2), T.int64(8), T.int64(32), T.int64(12)):
            with T.sblock("product"):
                vp, vi, vj, vk = T.axis.remap("SSSR", [p, i, j, k])
                with T.init():
                    c[vp, vi, vj] = T.float32(0)
                c[vp, vi, vj] = c[vp, vi, vj] + a[vp, vi, vk] * b[vk, vj]
)";
/// The same of int32, by one row of int8.
constexpr const char* kDots = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(a: T.Buffer((12,), "int8"), b: T.Buffer((32, 12), "int8"), c: T.Buffer((32,), "int32")):
    with T.sblock("root"):
        for i, k in T.grid(32, 12):
            with T.sblock("dot"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    c[vi] = 0
                c[vi] = c[vi] + T.Cast("int32", a[vk]) * T.Cast("int32", b[vi, vk])
)";

/// y = x + 1, for rows of which a run alone knows the number.
constexpr const char* kAnyRows = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(x_handle: T.handle, y_handle: T.handle):
    n = T.int64()
    x = T.match_buffer(x_handle, (n, T.int64(12)), "float32")
    y = T.match_buffer(y_handle, (n, T.int64(12)), "float32")
    with T.sblock("root"):
        for i, j in T.grid(n, T.int64(12)):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] + T.float32(1)
)";

/// Sums of which the last ends before the row does.
constexpr const char* kCutShort = R"(from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def k(x: T.Buffer((6, 10), "float32"), y: T.Buffer((6,), "float32")):
    with T.sblock("root"):
        for i, k in T.grid(6, 10):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.where(i * 10 + k < 55)
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + x[vi, vk]
)";

Result<Schedule> scheduleOf(const char* text) {
  RX_TRY(module, script::parseModule(make<SourceFile>("k.py", text)));
  return Schedule::of(cast<tir::PrimFunc>(module->functions[0]));
}

BlockRef blockOf(Schedule& schedule, const char* name) { return *schedule.block(name); }
LoopRef loopOf(Schedule& schedule, const char* block, size_t index) {
  return schedule.loops(blockOf(schedule, block))[index];
}

/// The product in tiles of this size, the loops over tiles outside; gives the outermost loop of one tile.
Result<LoopRef> tile(Schedule& s, int64_t rows, int64_t columns, int64_t sums) {
  const BlockRef block = blockOf(s, "product");
  const std::vector<LoopRef> loops = s.loops(block);
  RX_TRY(i, split(s, loops[1], {0, rows}));
  RX_TRY(j, split(s, loops[2], {0, columns}));
  RX_TRY(k, split(s, loops[3], {0, sums}));
  RX_CHECK(reorder(s, std::array{i[0], j[0], k[0], i[1], j[1], k[1]}));
  return i[1];
}
/// The product with the init taken out of its tiles, so that intrinsics can compute them.
Result<BlockRef> tilesApart(Schedule& s) {
  RX_TRY(inner, tile(s, 4, 16, 4));
  RX_TRY(block, blockize(s, inner));
  return decomposeReduction(s, block, s.loops(block)[3]);
}

const tir::IndexMap& swapped() {
  static const auto map = [] {
    const auto a = make<tir::Var>("a", DataType::Int(32)), b = make<tir::Var>("b", DataType::Int(32));
    return make<tir::IndexMap>(Array<tir::VarRef>{a, b}, Array<tir::PrimExpr>{b, a});
  }();
  return *map;
}
/// Several elements at one place.
const tir::IndexMap& folded() {
  static const auto map = [] {
    const auto a = make<tir::Var>("a", DataType::Int(32)), b = make<tir::Var>("b", DataType::Int(32));
    return make<tir::IndexMap>(Array<tir::VarRef>{a, b}, Array<tir::PrimExpr>{make<tir::Add>(a, b)});
  }();
  return *map;
}

}  // namespace

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

void TestPrimitives::refuses_data() {
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

void TestPrimitives::refuses() {
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
