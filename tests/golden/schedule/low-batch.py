from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_x: T.handle, a: T.Buffer((T.int64(1024), T.int64(512)), "float16"), var_y: T.handle):
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(512)), "float16")
        y = T.match_buffer(var_y, (n, T.int64(1024)), "float16")
        for i, j, k in T.grid(n, T.int64(1024), T.int64(512)):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float16(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * a[vj, vk]
