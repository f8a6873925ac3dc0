# There is one variant.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32")):
    a[0] = T.float32(0.0)
