from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((9, 3, 35), "float32"), a: T.Buffer((35,), "float32"), y: T.Buffer((3, 35, 9), "float32")):
        with T.sblock("root"):
            t = T.sblock_alloc_buffer((3, 35, 9), "float32")
            for i, j, k in T.grid(3, 35, 9):
                with T.sblock("turn"):
                    vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                    t[vi, vj, vk] = x[vk, vi, vj]
            for i, j, k in T.grid(3, 35, 9):
                with T.sblock("scale"):
                    vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                    y[vi, vj, vk] = t[vi, vj, vk] * a[vj]
