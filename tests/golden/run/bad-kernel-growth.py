from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f0(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def f1(A: T.Buffer((4,), "float32")):
        Module.f0(A)
        Module.f0(A)

    @T.prim_func(private=True, s_tir=True)
    def f2(A: T.Buffer((4,), "float32")):
        Module.f1(A)
        Module.f1(A)

    @T.prim_func(private=True, s_tir=True)
    def f3(A: T.Buffer((4,), "float32")):
        Module.f2(A)
        Module.f2(A)

    @T.prim_func(private=True, s_tir=True)
    def f4(A: T.Buffer((4,), "float32")):
        Module.f3(A)
        Module.f3(A)

    @T.prim_func(private=True, s_tir=True)
    def f5(A: T.Buffer((4,), "float32")):
        Module.f4(A)
        Module.f4(A)

    @T.prim_func(private=True, s_tir=True)
    def f6(A: T.Buffer((4,), "float32")):
        Module.f5(A)
        Module.f5(A)

    @T.prim_func(private=True, s_tir=True)
    def f7(A: T.Buffer((4,), "float32")):
        Module.f6(A)
        Module.f6(A)

    @T.prim_func(private=True, s_tir=True)
    def f8(A: T.Buffer((4,), "float32")):
        Module.f7(A)
        Module.f7(A)

    @T.prim_func(private=True, s_tir=True)
    def f9(A: T.Buffer((4,), "float32")):
        Module.f8(A)
        Module.f8(A)

    @T.prim_func(private=True, s_tir=True)
    def f10(A: T.Buffer((4,), "float32")):
        Module.f9(A)
        Module.f9(A)

    @T.prim_func(private=True, s_tir=True)
    def f11(A: T.Buffer((4,), "float32")):
        Module.f10(A)
        Module.f10(A)

    @T.prim_func(private=True, s_tir=True)
    def f12(A: T.Buffer((4,), "float32")):
        Module.f11(A)
        Module.f11(A)

    @T.prim_func(private=True, s_tir=True)
    def f13(A: T.Buffer((4,), "float32")):
        Module.f12(A)
        Module.f12(A)

    @T.prim_func(private=True, s_tir=True)
    def f14(A: T.Buffer((4,), "float32")):
        Module.f13(A)
        Module.f13(A)

    @T.prim_func(private=True, s_tir=True)
    def f15(A: T.Buffer((4,), "float32")):
        Module.f14(A)
        Module.f14(A)

    @T.prim_func(private=True, s_tir=True)
    def f16(A: T.Buffer((4,), "float32")):
        Module.f15(A)
        Module.f15(A)

    @T.prim_func(private=True, s_tir=True)
    def f17(A: T.Buffer((4,), "float32")):
        Module.f16(A)
        Module.f16(A)

    @T.prim_func(private=True, s_tir=True)
    def f18(A: T.Buffer((4,), "float32")):
        Module.f17(A)
        Module.f17(A)

    @T.prim_func(private=True, s_tir=True)
    def f19(A: T.Buffer((4,), "float32")):
        Module.f18(A)
        Module.f18(A)

    @T.prim_func(private=True, s_tir=True)
    def f20(A: T.Buffer((4,), "float32")):
        Module.f19(A)
        Module.f19(A)

    @T.prim_func(private=True, s_tir=True)
    def f21(A: T.Buffer((4,), "float32")):
        Module.f20(A)
        Module.f20(A)

    @T.prim_func(private=True, s_tir=True)
    def f22(A: T.Buffer((4,), "float32")):
        Module.f21(A)
        Module.f21(A)

    @T.prim_func(private=True, s_tir=True)
    def f23(A: T.Buffer((4,), "float32")):
        Module.f22(A)
        Module.f22(A)

    @T.prim_func(private=True, s_tir=True)
    def outer(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i]
        Module.f23(B)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        return R.call_tir(cls.outer, (x,), out_sinfo=R.Tensor((4,), "float32"))
