from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:

    @T.prim_func(s_tir=True)
    def scan(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int64"), kept: T.Buffer((100,), "bool")):
        y[0] = T.Cast("int64", x[0])
        for i in range(99):
            y[i + 1] = y[i] + T.Cast("int64", x[i + 1])
            kept[i + 1] = x[i + 1] > 0 and y[i] < T.int64(1000)
