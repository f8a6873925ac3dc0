# The same names in a text of v0.25 mean nothing, and stay.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def double(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True, "Primitive": 1})
        for i in range(8):
            with T.sblock("double"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] + A[vi]
