from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_a: T.handle, b: T.Buffer((T.int64(136), T.int64(64)), "bfloat16"), var_c: T.handle):
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(136)), "bfloat16")
        c = T.match_buffer(var_c, (n, T.int64(64)), "bfloat16")
        with T.sblock("root"):
            t = T.sblock_alloc_buffer((n, T.int64(64)), "bfloat16")
            for i, j, k in T.grid(n, T.int64(64), T.int64(136)):
                with T.sblock("matmul"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        t[vi, vj] = T.bfloat16(0)
                    t[vi, vj] = t[vi, vj] + a[vi, vk] * b[vk, vj]
            for i, j in T.grid(n, T.int64(64)):
                with T.sblock("relu"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    c[vi, vj] = T.max(t[vi, vj], T.bfloat16(0))
