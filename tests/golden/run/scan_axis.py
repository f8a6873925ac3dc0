from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func
    def cumsum(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (n, m), "float32")
        for i, j in T.grid(n, m):
            with T.sblock("scan"):
                vi = T.axis.scan(n, i)
                vj = T.axis.spatial(m, j)
                T.reads(A[vi, vj], B[vi - T.int64(1), vj])
                T.writes(B[vi, vj])
                B[vi, vj] = T.if_then_else(vi == T.int64(0), A[vi, vj], B[vi - T.int64(1), vj] + A[vi, vj])

    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        y = R.call_tir(cls.cumsum, (x,), out_sinfo=R.Tensor((n, m), dtype="float32"))
        return y
