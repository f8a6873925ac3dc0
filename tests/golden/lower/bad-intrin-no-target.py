# What an intrinsic becomes depends on the target.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32")):
    a[0] = T.exp(a[1])
