from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


# A sum is no product.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def total(x: T.Buffer((16, 8), "float32"), w: T.Buffer((8, 4), "float32"), y: T.Buffer((16, 4), "float32")):
        for i, j, k in T.grid(16, 4, 8):
            with T.sblock("total"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + (x[vi, vk] + w[vk, vj])

    @R.function
    def main(x: R.Tensor((16, 8), "float32"), w: R.Tensor((8, 4), "float32")):
        cls = Module
        a = R.call_tir(cls.total, (x, w), out_sinfo=R.Tensor((16, 4), "float32"))
        return a
