@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((10,), "int32")):
        for i in T.parallel(10):
            if A[i] < 0:
                T.break_loop()
