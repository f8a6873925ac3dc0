// Kernels that tests of primitives schedule, and what several of the tests do with them.
#pragma once

#include <array>
#include <functional>

#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/script/parse.h"

namespace rx::test {

using namespace schedule;

using Action = std::function<Result<Unit>(Schedule&)>;

/// y = sum over columns of 2 * x, by way of t = 2 * x; a row has 10 elements, and there are 6 of them.
inline constexpr const char* kSums = R"(from tvm.script import tirx as T

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
inline constexpr const char* kTurned = R"(from tvm.script import tirx as T

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
inline constexpr const char* kProduct = R"(from tvm.script import tirx as T

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
inline constexpr const char* kLargest = R"(from tvm.script import tirx as T

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
inline constexpr const char* kOneStep = R"(from tvm.script import tirx as T

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
inline constexpr const char* kTiled = R"(from tvm.script import tirx as T

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
inline constexpr const char* kDots = R"(from tvm.script import tirx as T

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
inline constexpr const char* kAnyRows = R"(from tvm.script import tirx as T

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
inline constexpr const char* kCutShort = R"(from tvm.script import tirx as T

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

inline Result<Schedule> scheduleOf(const char* text) {
  RX_TRY(module, script::parseModule(make<SourceFile>("k.py", text)));
  return Schedule::of(cast<tir::PrimFunc>(module->functions[0]));
}

inline BlockRef blockOf(Schedule& schedule, const char* name) { return *schedule.block(name); }
inline LoopRef loopOf(Schedule& schedule, const char* block, size_t index) {
  return schedule.loops(blockOf(schedule, block))[index];
}

/// The product in tiles of this size, the loops over tiles outside; gives the outermost loop of one tile.
inline Result<LoopRef> tile(Schedule& s, int64_t rows, int64_t columns, int64_t sums) {
  const BlockRef block = blockOf(s, "product");
  const std::vector<LoopRef> loops = s.loops(block);
  RX_TRY(i, split(s, loops[1], {0, rows}));
  RX_TRY(j, split(s, loops[2], {0, columns}));
  RX_TRY(k, split(s, loops[3], {0, sums}));
  RX_CHECK(reorder(s, std::array{i[0], j[0], k[0], i[1], j[1], k[1]}));
  return i[1];
}
/// The product with the init taken out of its tiles, so that intrinsics can compute them.
inline Result<BlockRef> tilesApart(Schedule& s) {
  RX_TRY(inner, tile(s, 4, 16, 4));
  RX_TRY(block, blockize(s, inner));
  return decomposeReduction(s, block, s.loops(block)[3]);
}

inline const tir::IndexMap& swapped() {
  static const auto map = [] {
    const auto a = make<tir::Var>("a", DataType::Int(32)), b = make<tir::Var>("b", DataType::Int(32));
    return make<tir::IndexMap>(Array<tir::VarRef>{a, b}, Array<tir::PrimExpr>{b, a});
  }();
  return *map;
}
/// Several elements at one place.
inline const tir::IndexMap& folded() {
  static const auto map = [] {
    const auto a = make<tir::Var>("a", DataType::Int(32)), b = make<tir::Var>("b", DataType::Int(32));
    return make<tir::IndexMap>(Array<tir::VarRef>{a, b}, Array<tir::PrimExpr>{make<tir::Add>(a, b)});
  }();
  return *map;
}

}  // namespace rx::test
