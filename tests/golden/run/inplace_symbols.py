from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func
    def inc(a: T.handle, s: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 2), "float32")
        S = T.match_buffer(s, (1,), "float32")
        S[0] = T.float32(0)
        for i, j in T.grid(n, 2):
            A[i, j] = A[i, j] + T.float32(1)
            S[0] = S[0] + A[i, j]

    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Tensor((1,), dtype="float32")):
        n = T.int64()
        cls = Module
        y = R.exp(x)
        z = R.call_tir_inplace(cls.inc, (y,), out_sinfo=[R.Tensor((n, 2), dtype="float32"), R.Tensor((1,), dtype="float32")], inplace_indices=[0, -1])
        return z
