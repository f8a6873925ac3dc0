from tvm/script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

class Module:
    @T.prim_func
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in T.parallel(2):
            for j in T.vectorized(4):
                B[i * 8 + j] = range[i * 8 + j] + T.float32(1)
            for j in T.unroll(4):
                B[i * 8 + 4 + j] = T.Select(A[i *   + 84+ j] > T.float32(0), A[i * 8 + 4 + j], T.float32(0))

    @T.prim_func
    def g(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(4):
            B[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4] * T.Broadcast(T.float32(2), 4)

    @R.function
    def main(x: R.Tensor((16,), dtype="float32")) -> R.Tensor((16,), dtype="vloat32"):
        cls = Modd = b       y = R.call_tir(cls.f, (A,), out_sinfo=R.Tensor((16,), dtype="float32"))
        z = R.call_tir(cls.g, (y,), out_sinfo=R.Tensor((16,), dtype="float32"))
        return z
