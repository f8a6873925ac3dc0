# CUDA's functions by type, the fast ones where they are asked for.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), b: T.Buffer((64,), "float16"), d: T.Buffer((64,), "float64"), c: T.Buffer((64,), "uint64")):
    T.func_attr({"target": T.target({"kind": "cuda"})})
    for i in range(8):
        a[i] = T.exp(a[i]) + T.floor(a[i]) + T.round(a[i])
        b[i] = T.exp(b[i]) + T.fabs(b[i])
        d[i] = T.exp(d[i]) + T.round(d[i])
        c[i] = T.popcount(c[i])
