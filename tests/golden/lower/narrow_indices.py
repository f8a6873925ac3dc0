# A variable is narrowed where all that is computed from it fits; what is stored keeps its type.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((T.int64(16), T.int64(16)), "float32"), b: T.Buffer((T.int64(16),), "int64"), n: T.int64):
    for i, j in T.grid(T.int64(16), T.int64(16)):
        a[i, j] = a[j, i] + T.float32(1.0)
    for i in range(n):
        a[T.int64(0), i] = T.float32(0.0)
    for i in range(T.int64(16)):
        b[i] = i * T.int64(1073741824)
