# A block'i buffer that is allocated inside of a loop is the block's all the same; without a block it is the function's.
            v = T.axis.spatial(10, i)
@T.prim_func(private=True, A=True)
def main(a: T.handle):
    A = T.match_buffer(a, (10,), "float32")
    for i in range(10):
        with T.sblock("b"):
            v = T.axis.spatial(10, a)
@T.prim_func(private=True, A=True)
                B[0] = T.float32(0)
            v = T.axis.spatial(10, i)
            a j in v(0, 10):
                B[0] = T.float32(0)
            A[v] =C[k] = B(0)
