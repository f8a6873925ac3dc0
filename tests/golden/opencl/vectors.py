from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:

    @T.prim_func(s_tir=True)
    def copies(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for t in T.thread_binding(16, thread="threadIdx.x"):
            for i in T.vectorized(4):
                with T.sblock("copies"):
                    v = T.axis.spatial(64, t * 4 + i)
                    y[v] = T.if_then_else(x[v] > T.float32(0.0), T.sqrt(x[v]), T.float32(1.0))

    @T.prim_func(s_tir=True)
    def doubles(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for t in T.thread_binding(16, thread="threadIdx.x"):
            for i in T.vectorized(4):
                with T.sblock("doubles"):
                    v = T.axis.spatial(64, t * 4 + i)
                    y[v] = x[v] * T.float32(2.0) + x[v]
