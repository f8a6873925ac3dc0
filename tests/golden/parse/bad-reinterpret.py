@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "uint8")):
    B[0] = T.reinterpret("uint8", A[0])
