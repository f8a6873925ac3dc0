from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:

    @T.prim_func(s_tir=True)
    def gather(x: T.Buffer((10, 4), "float32"), which: T.Buffer((6,), "int64"), y: T.Buffer((6, 4), "float32")):
        for i, j in T.grid(6, 4):
            with T.sblock("gather"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[which[vi], vj]

    @T.prim_func(s_tir=True)
    def divide(x: T.Buffer((6,), "int32"), by: T.Buffer((6,), "int32"), y: T.Buffer((6,), "int32")):
        for i in range(6):
            with T.sblock("divide"):
                v = T.axis.spatial(6, i)
                y[v] = x[v] // by[v] + x[v] * by[v]
