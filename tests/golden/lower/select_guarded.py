# A value that may fault is guarded, also one in an address or under a choice; what only computes is not.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        a[i] = T.Select(i < n, a[i + n], T.float32(0.0))
        a[i] = T.Select(i < n, T.exp(T.Cast("float32", i)), T.float32(0.0))
        a[i] = T.Select(i < n, T.Select(i < 3, a[n], T.float32(1.0)), T.float32(0.0))
        a[i] = T.Select(a[i] < T.float32(3.0), T.float32(1.0), T.call_extern("float32", "f", n))
