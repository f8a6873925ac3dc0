@T.prim_func
def main(A: T.Buffer((4, 8), "float32")):
    with T.sblock("outer"):
        for i, j in T.grid(4, 8):
            T.reads(A[i, j])
            vi, vj = T.axis.remap("SS", [i, j])
            A[i, j] = T.float32(0)
