@T.prim_func
def main(a: T.handle, B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("b"):
            v = T.axis.spatial(a, i)
            w = T.axis.spatial(4, a)
            u = T.axis.spatial((a, 4), i)
            B[w] = B[v] + 1
