# A buffer of 64-bit integers can not be narrowed with its indices.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((T.int64(4),), "int64")):
    for i in range(T.int64(4)):
        a[i] = i
