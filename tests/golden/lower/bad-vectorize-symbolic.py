@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.vectorized(n):
        a[i] = T.float32(1.0)
