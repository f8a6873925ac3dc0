@T.prim_func(private=True)
def main(A: T.Buffer((4,), "int32"), h: T.handle, v0: T.int32):
    v = T.launch_thread("threadIdx.x", 4)
    with T.sblock("o"):
        D = T.match_buffer(h, (v, 4), "int32")
        with T.sblock("b"):
            w = T.axis.spatial(4, v)
            T.reads(A[w])
            A[w] = v
    T.evaluate(v)
