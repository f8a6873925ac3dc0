@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((10, 10), "int32")):
        for i in range(10):
            for j in range(10):
                if A[i, j] < 0:
                    T.break_loop()
                A[i, j] = A[i, j] + 1
        for k in range(10):
            while A[k, 0] > 0:
                T.continue_loop()
