from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((3, 5, 70), "float32"), y: T.Buffer((5,), "float32")):
        with T.sblock("root"):
            for i, j, k in T.grid(5, 3, 70):
                with T.sblock("max"):
                    vi, vj, vk = T.axis.remap("SRR", [i, j, k])
                    with T.init():
                        y[vi] = T.min_value("float32")
                    y[vi] = T.max(y[vi], x[vj, vi, vk])
