@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 4), "float32"), B: T.Buffer((2,), "int64")):
        B[0] = T.int64(len(A.ty.shape))
        B[1] = T.Cast("int64", A.ty.shape[1])
