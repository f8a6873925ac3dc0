# Attributes of functions that v0.24 has under other names, and a flag that was a number.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True), "tir.is_scheduled": 1, "tirs": 2})
        for i in range(8):
            with T.block("double"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] + A[vi]

    @R.function(private=True)
    def fused(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        R.func_attr({"Primitive": 1, "num_input": 1})
        cls = Module
        gv = R.call_tir(cls.double, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
        return gv
