# A sum in a scalar that the inner loop changes.
@I.ir_module(s_tir=True)
class Module:
    @T.prim_func(private=True, s_tir=True)
    def sums(A: T.Buffer((4, 3), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            acc: T.float32 = 0.0
            n = 0
            for j in range(3):
                acc = acc + A[i, j]
                n += 1
            B[i] = acc * T.Cast("float32", n)

    @R.function
    def main(x: R.Tensor((4, 3), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.sums, (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y
