@T.prim_func(s_tir=True)
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((4, 10), "float32")):
    with T.sblock("b"):
        T.reads(A[0:5, 1])
        T.writes(B[0:2])
        B[0, 0] = A[0]
