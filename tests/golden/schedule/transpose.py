from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((T.int64(512), T.int64(256)), "float32"), y: T.Buffer((T.int64(256), T.int64(512)), "float32")):
        for i, j in T.grid(T.int64(256), T.int64(512)):
            with T.sblock("transpose"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vj, vi]
