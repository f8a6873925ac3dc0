# The block holds its buffers, where neither the loop variable nor x is known.
@T.prim_func(private=True, s_tir=True)
def main():
    for i in range(10):
        with T.sblock("b"):
            T.reads()
            T.writes()
            for j in T.serial(0, 10):
                B = T.sblock_alloc_buffer([j + 1], "float32")
                B[0] = T.float32(0)
            if i > 2:
                x: T.let[T.int32] = i * 2
                C = T.sblock_alloc_buffer([x], "float32")
                C[0] = T.float32(0)
