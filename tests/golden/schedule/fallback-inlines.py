from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_x: T.handle, var_y: T.handle):
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(8)), "float32")
        y = T.match_buffer(var_y, (n, T.int64(8)), "float32")
        with T.sblock("root"):
            t = T.sblock_alloc_buffer((n, T.int64(8)), "float32")
            u = T.sblock_alloc_buffer((n, T.int64(8)), "float32")
            for i, j in T.grid(n, T.int64(8)):
                with T.sblock("double"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    t[vi, vj] = x[vi, vj] * T.float32(2)
            for i, j in T.grid(n, T.int64(8)):
                with T.sblock("exp"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    u[vi, vj] = T.exp(t[vi, vj])
            for i, j in T.grid(n, T.int64(8)):
                with T.sblock("flip"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    y[vi, vj] = u[vi, T.int64(7) - vj]
