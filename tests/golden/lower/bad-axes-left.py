from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def softmax(x: T.Buffer((T.int64(4), T.int64(8)), "float32"), keep: T.Buffer((T.int64(4),), "bool"), y: T.Buffer((T.int64(4), T.int64(8)), "float32")):
        top = T.sblock_alloc_buffer((T.int64(4), T.int64(1)))
        for i, one, k in T.grid(T.int64(4), T.int64(1), T.int64(8)):
            with T.sblock("top"):
                v_i, v_one, v_k = T.axis.remap("SSR", [i, one, k])
                T.reads(x[v_i, v_k])
                T.writes(top[v_i, v_one])
                with T.init():
                    top[v_i, v_one] = T.float32(-1000.0)
                top[v_i, v_one] = T.max(top[v_i, v_one], x[v_i, v_k])
        for i0, j0, j1 in T.grid(T.int64(4), T.int64(3), T.int64(3)):
            with T.sblock("shifted"):
                v_i = T.axis.spatial(T.int64(4), i0)
                v_j = T.axis.spatial(T.int64(8), j0 * T.int64(3) + j1)
                T.where(j0 * T.int64(3) + j1 < T.int64(8))
                T.reads(x[v_i, v_j], top[v_i, T.int64(0)], keep[v_i])
                T.writes(y[v_i, v_j])
                y[v_i, v_j] = T.if_then_else(keep[v_i], x[v_i, v_j] - top[v_i, T.int64(0)], T.float32(0.0))
