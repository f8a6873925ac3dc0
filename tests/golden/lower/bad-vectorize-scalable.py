# The target has no scalable vectors.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32")):
    for i in T.vectorized(T.vscale() * 4):
        a[i] = T.float32(1.0)
