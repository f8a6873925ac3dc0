from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def square(v: T.float32) -> T.float32:
        return v * v

    @T.prim_func(private=True, s_tir=True)
    def outer(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            w: T.let[T.float32] = Module.square(B[i])
            B[i] = Module.square(w)
            B[i] = Module.square(B[i])
