# A block's buffer that is allocated inside of a loop is the block's all the same; without a block it is the function's.
@T.prim_func(private=True, s_tir=True)
def main(a: T.handle):
    A = T.match_buffer(a, (10,), "float32")
    for i in range(10):
        with T.sblock("b"):
            v = T.axis.spatial(10, i)
            for j in T.serial(0, 10):
                B = T.sblock_alloc_buffer([v + 1], "float32")
                B[0] = T.float32(0)
            A[v] = T.float32(1)
    for k in range(4):
        C = T.sblock_alloc_buffer([4], "float32")
        C[k] = T.float32(0)
