from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def sign(v: T.float32) -> T.float32:
        if v < T.float32(0):
            return T.float32(-1)
        return T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def outer(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = Module.sign(A[i])

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        return R.call_tir(cls.outer, (x,), out_sinfo=R.Tensor((4,), "float32"))
