# Loads, calls and truth values are computed where they stand.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(4):
        if i < n:
            a[i] = a[i] + T.exp(a[i])
        if i < n:
            a[i + 32] = a[i] + T.exp(a[i])
