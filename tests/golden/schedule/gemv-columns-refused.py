from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((T.int64(512), T.int64(1024)), "float16"), v: T.Buffer((T.int64(512),), "float16"), y: T.Buffer((T.int64(1024),), "float16")):
        for i, k in T.grid(T.int64(1024), T.int64(512)):
            with T.sblock("gemv"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float16(0)
                y[vi] = y[vi] + v[vk] * a[vk, vi]
