# The bits of an 8-bit float are an integer of 8 bits.
@T.prim_func(s_tir=True)
def main(p: T.handle("float8_e4m3fn", "global"), q: T.handle("float16", "global")):
    a = T.decl_buffer((16,), "float8_e4m3fn", data=p)
    b = T.decl_buffer((16,), "float16", data=q)
    for i in range(16):
        b[i] = T.reinterpret("float16", T.Cast("uint16", T.reinterpret("uint8", a[i])))
        a[i] = T.reinterpret("float8_e4m3fn", T.uint8(3))
