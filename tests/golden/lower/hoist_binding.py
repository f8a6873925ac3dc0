# Bindings that a loop does not change go before it, and the condition that needs one with them.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), n: T.int32, m: T.int32):
    for i in range(8):
        k: T.let[T.int32] = n * m
        if k < 3:
            a[i] = T.if_then_else(m < 7, T.float32(1.0), T.float32(2.0))
