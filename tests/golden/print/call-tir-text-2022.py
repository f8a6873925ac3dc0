# of a time when functions of the outside were called by R.call_tir too
@I.ir_module
class Module:
    @T.prim_func
    def copy(a: T.handle, b: T.handle):
        n = T.var("int64")
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in T.serial(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        y = R.call_tir("outside", (x,), R.Tensor((4,), dtype="float32"))
        z = R.call_tir(copy, (y,), R.Tensor((4,), dtype="float32"))
        return z
