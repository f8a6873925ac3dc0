# Storage is legalized once buffers are pointers.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "float8_e5m2"), b: T.Buffer((16,), "float16")):
    for i in range(16):
        b[i] = T.Cast("float16", a[i]) + T.float16(1.0)
