@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = C[0]
    A[1] = f(0)
