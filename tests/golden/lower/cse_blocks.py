from tvm.script import ir as I
from tvm.script import tirx as T


# Before blocks are lowered: a repeated value of a block is bound inside of it, never between its axes and what it reads.
@I.ir_module
class Module:
    @T.prim_func
    def padded(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32"), z: T.Buffer((64,), "float32"), n: T.int32):
        for i in range(8):
            with T.sblock("copy"):
                v_i = T.axis.spatial(8, i)
                T.reads(x[v_i * n + 3])
                T.writes(y[v_i * n + 3], z[v_i * n + 3])
                y[v_i * n + 3] = x[v_i * n + 3]
                z[v_i * n + 3] = x[v_i * n + 3]

    @T.prim_func
    def reduced(x: T.Buffer((4, 8), "float32"), y: T.Buffer((8,), "float32"), n: T.int32):
        for i, k in T.grid(4, 8):
            with T.sblock("sum"):
                v_i = T.axis.spatial(4, i)
                v_k = T.axis.reduce(8, k)
                with T.init():
                    y[v_i + n] = T.float32(0)
                y[v_i + n] = y[v_i + n] + x[v_i, v_k]
