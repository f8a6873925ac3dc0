# Loops, conditions, bindings and assertions say what holds below and behind them.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), n: T.int32):
    for i, j in T.grid(8, 8):
        a[(i * 8 + j) // 8 * 8 + (i * 8 + j) % 8] = a[(i * 8 + j) % 64]
        if i * 8 + j < 64:
            a[i * 8 + j] = T.float32(1.0)
        if n < 4:
            if n < 5:
                a[j] = T.float32(2.0)
            else:
                a[j] = T.float32(3.0)
    k: T.let[T.int32] = n * 4
    a[k // 4] = a[k % 4]
    a[n] = a[n]
    assert n % 8 == 2, "an even size"
    a[n % 4] = T.float32(4.0)
