# What nothing decides stays: other arms, values that a call or a load may change, unsigned wrap.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "int32"), n: T.int32, u: T.uint32):
    if n < 5:
        a[0] = 1
    else:
        if n < 5:
            a[1] = 2
        if n < 9:
            a[2] = 3
    if a[0] < 3:
        a[0] = 7
        if a[0] < 3:
            a[1] = 4
    a[3] = T.Cast("int32", u * T.uint32(3) // T.uint32(3))
