@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int32"), n: T.int32):
    A[0] = n / 2
