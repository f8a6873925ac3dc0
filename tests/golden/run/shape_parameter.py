from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func
    def scale(a: T.handle, b: T.handle, k: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] * T.Cast("float32", k)

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), s: R.Shape(["k"])) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        k = T.int64()
        cls = Module
        y = R.call_tir(cls.scale, (x,), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([k]))
        return y
