# Names in the texts of a signature: alone, in expressions, as values; a parameter that is a dimension itself.
@I.ir_module
class Module:
    @R.function(private=True)
    def sums(x: R.Tensor((3, "b + a"), "float32"), y: R.Tensor(("a + b",), "float32")) -> R.Object:
        b = T.int64()
        a = T.int64()
        z = R.add(x, y)
        return z

    @R.function(private=True)
    def floats(x: R.Prim(value="t"), y: R.Prim(value="t")) -> R.Object:
        t = T.float32()
        z = R.add(x, y)
        return z

    @R.function(private=True)
    def parameter(n: R.Prim("int64"), w: R.Tensor(["n"], "float32"), k: T.int64) -> R.Object:
        z = R.broadcast_to(w, R.shape([k, n]))
        return z

    @T.prim_func(private=True, s_tir=True)
    def buffers(A: T.Buffer(("N", "K"), "float32"), B: T.Buffer((K, "M"), "float32"), C: T.Buffer(("T.max(N, 1)",))):
        N, K = T.int64(), T.int64()
        M = T.int64()
        for i in range(N):
            C[i] = A[i, 0] + B[0, M - 1]
