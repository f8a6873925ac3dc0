# Constant bounds stay whole unless asked for, and so does what is not likely.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(16):
        if T.likely(i < n):
            a[i] = T.float32(1.0)
    for i in range(n):
        if i < 8:
            a[i] = T.float32(2.0)
