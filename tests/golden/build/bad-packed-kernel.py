from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]
        T.call_packed("a.function.of.the.user", T.tvm_stack_make_array(B.data, T.tvm_stack_make_shape(4), 0, 1, T.float32(0), 0))

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return y
