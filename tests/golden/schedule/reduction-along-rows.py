from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((T.int64(32), T.int64(100)), "float32"), y: T.Buffer((T.int64(32),), "float32")):
        with T.sblock("root"):
            t = T.sblock_alloc_buffer((T.int64(32),), "float32")
            for i, k in T.grid(T.int64(32), T.int64(100)):
                with T.sblock("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        t[vi] = T.float32(0)
                    t[vi] = t[vi] + x[vi, vk]
            for i in T.serial(T.int64(32)):
                with T.sblock("mean"):
                    vi = T.axis.spatial(T.int64(32), i)
                    y[vi] = t[vi] / T.float32(100)
