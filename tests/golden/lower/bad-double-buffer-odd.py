# Halves alternate, so rounds are grouped in pairs.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((400,), "float32"), b: T.Buffer((400,), "float32")):
    for i in range(100):
        c = T.alloc_buffer((4,))
        with T.attr(c.data, "double_buffer_scope", 1):
            for j in range(4):
                c[j] = a[i * 4 + j]
        for j in range(4):
            b[i * 4 + j] = c[j]
