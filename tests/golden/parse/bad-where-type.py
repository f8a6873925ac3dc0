@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.sblock("b"):
            v = T.axis.spatial(4, i)
            T.where(A[i])
            A[v] = 0
