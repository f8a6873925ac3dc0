@T.prim_func(B=True)
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    B[0:5] = A[0:5] + B[0:5]
    B[1:5:1] 
    B[1:5:1] 
    B[0:5] = A[0:5] + B[0:5]
