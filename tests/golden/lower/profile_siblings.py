# The outer loops are siblings; the innermost ones are not told apart.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 8), "float32")):
        for i in range(8):
            for j, k in T.grid(8, 8):
                A[i, j] = A[i, j] + A[i, k]
            for j in range(8):
                A[i, j] = T.float32(0)
        for i in T.parallel(8):
            for j in range(8):
                A[i, j] = T.float32(1)
