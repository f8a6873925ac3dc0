# The part of the range where the condition holds loses it; what is left keeps it.
@T.prim_func(s_tir=True)
def main(A: T.handle, n: T.int32):
    a = T.match_buffer(A, (n,))
    for i in range((n + 3) // 4):
        for j in range(4):
            if T.likely(i * 4 + j < n):
                a[i * 4 + j] = T.float32(1.0)
