@T.prim_func
def main(a: T.handle, B: T.Buffer((4,), "float32")):
    A = T.match_buffer(a, (4,), "float32")
    for i in range(4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[a]
            B["x"] = A[a:4]
