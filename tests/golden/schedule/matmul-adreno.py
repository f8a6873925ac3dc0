from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_a: T.handle, b: T.Buffer((T.int64(128), T.int64(64)), "float32"), var_c: T.handle):
        n = T.int64()
        a = T.match_buffer(var_a, (T.int64(1), n, T.int64(128)), "float32")
        c = T.match_buffer(var_c, (T.int64(1), n, T.int64(64)), "float32")
        with T.sblock("root"):
            t = T.sblock_alloc_buffer((T.int64(1), n, T.int64(64)), "float32")
            for l, i, j, k in T.grid(T.int64(1), n, T.int64(64), T.int64(128)):
                with T.sblock("matmul"):
                    vl, vi, vj, vk = T.axis.remap("SSSR", [l, i, j, k])
                    with T.init():
                        t[vl, vi, vj] = T.float32(0)
                    t[vl, vi, vj] = t[vl, vi, vj] + a[vl, vi, vk] * b[vk, vj]
            for l, i, j in T.grid(T.int64(1), n, T.int64(64)):
                with T.sblock("relu"):
                    vl, vi, vj = T.axis.remap("SSS", [l, i, j])
                    c[vl, vi, vj] = T.max(t[vl, vi, vj], T.float32(0))
