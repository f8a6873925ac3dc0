# Buffers are flattened before.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((400,), "float32")):
    for i in range(100):
        c = T.alloc_buffer((2, 2))
        with T.attr(c.data, "double_buffer_scope", 1):
            c[0, 0] = a[i]
        a[i] = c[0, 0]
