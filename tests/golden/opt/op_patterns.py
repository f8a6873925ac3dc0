from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def total(x: T.Buffer((4, 8), "float32"), y: T.Buffer((4,), "float32")):
        for i, k in T.grid(4, 8):
            with T.sblock("sum"):
                v_i, v_k = T.axis.remap("SR", [i, k])
                with T.init():
                    y[v_i] = T.float32(0)
                y[v_i] = y[v_i] + x[v_i, v_k]

    @T.prim_func(private=True, s_tir=True)
    def turned(x: T.Buffer((4, 8), "float32"), y: T.Buffer((8, 4), "float32")):
        for i, j in T.grid(8, 4):
            with T.sblock("turn"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                y[v_i, v_j] = x[v_j, v_i]

    @T.prim_func(private=True, s_tir=True)
    def stated(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 8})
        for i in range(4):
            with T.sblock("copy"):
                v_i = T.axis.spatial(4, i)
                y[v_i] = x[v_i]
