@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "int32"), n: T.int32):
    for i in T.unroll(n):
        a[i] = i
