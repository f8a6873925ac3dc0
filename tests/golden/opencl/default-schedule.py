from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:

    @T.prim_func(s_tir=True)
    def scale(x: T.Buffer((1000,), "float32"), y: T.Buffer((1000,), "float32")):
        for i in range(1000):
            with T.sblock("scale"):
                v = T.axis.spatial(1000, i)
                y[v] = T.exp(x[v]) * T.float32(0.5) + T.max(x[v], T.float32(0.0))

    @T.prim_func(s_tir=True)
    def sums(x: T.Buffer((40, 70), "float32"), y: T.Buffer((40,), "float32")):
        for i, k in T.grid(40, 70):
            with T.sblock("sums"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0.0)
                y[vi] = y[vi] + x[vi, vk]
