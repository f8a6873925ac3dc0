# Parameters, shapes, loops and constants, whatever they hold.
@T.prim_func(s_tir=True)
def main(A: T.handle, n: T.int64):
    m = T.int64()
    a = T.match_buffer(A, (m, T.int64(4)))
    for i, j in T.grid(m, T.int64(4)):
        if i < n:
            a[i, j] = T.Cast("float32", i * T.int64(4) + j)
