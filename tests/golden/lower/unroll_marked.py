# Marked loops, inside others too; each copy has bindings of its own.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(n):
        for j in T.unroll(2):
            k: T.let[T.int32] = i * 2 + j
            a[k] = k
    for i in T.unroll(1, 3):
        a[i] = i
    for i in T.unroll(0):
        a[i] = i
