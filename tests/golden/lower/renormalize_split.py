# Quotients of remainders, quotients of sums, comparisons with a constant.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((4096,), "int32"), x: T.int32, y: T.int32):
    a[0] = x % 64 // 8
    a[1] = (x * 12 + y) // 8
    a[2] = (x * 5 + y) // 8
    if x * 8 + y < 64:
        a[3] = 1
