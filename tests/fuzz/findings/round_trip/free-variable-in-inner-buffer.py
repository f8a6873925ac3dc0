@T.prim_func
def main(A: T.Buffer((4,), "int32"), h: T.handle, v0: T.int32):
    v = T.int32()
    with T.sblock("o"):
        C = T.sblock_alloc_buffer((v,), "int32")
        C[0] = 1
    with T.Assert(v > 1, "bad"):
        A[v] = 1
