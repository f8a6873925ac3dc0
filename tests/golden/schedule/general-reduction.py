from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_x: T.handle, var_y: T.handle):
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(300)), "float32")
        y = T.match_buffer(var_y, (n, T.int64(300)), "float32")
        with T.sblock("root"):
            m = T.sblock_alloc_buffer((n,), "float32")
            s = T.sblock_alloc_buffer((n,), "float32")
            for i, k in T.grid(n, T.int64(300)):
                with T.sblock("max"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        m[vi] = T.min_value("float32")
                    m[vi] = T.max(m[vi], x[vi, vk])
            for i, k in T.grid(n, T.int64(300)):
                with T.sblock("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        s[vi] = T.float32(0)
                    s[vi] = s[vi] + T.exp(x[vi, vk] - m[vi])
            for i, k in T.grid(n, T.int64(300)):
                with T.sblock("divide"):
                    vi, vk = T.axis.remap("SS", [i, k])
                    y[vi, vk] = T.exp(x[vi, vk] - m[vi]) / s[vi]
