from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def even(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        Module.odd(A, B)

    @T.prim_func(private=True, s_tir=True)
    def odd(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        Module.even(A, B)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        return R.call_tir(cls.even, (x,), out_sinfo=R.Tensor((4,), "float32"))
