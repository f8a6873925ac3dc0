# Computed in float32; the buffer of the function keeps its type, the allocated one that only loads and stores use does not.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "bfloat16"), b: T.Buffer((16,), "bfloat16")):
    c = T.alloc_buffer((16,), "bfloat16")
    d = T.alloc_buffer((16,), "bfloat16")
    T.call_extern("int32", "f", d.data)
    for i in range(16):
        x: T.let[T.bfloat16] = a[i] + T.bfloat16(1.0)
        c[i] = x
        d[i] = a[i]
        b[i] = T.max(c[i], d[i]) * T.Cast("bfloat16", i)
