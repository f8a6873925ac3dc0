# What was padded with 0 gives 0, so the choice is needless; without the attribute nothing is known of the elements.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "uint8"), b: T.Buffer((16,), "uint8")):
    T.func_attr({"op_pattern": 0})
    for i in range(16):
        with T.sblock("assumption"):
            v = T.axis.spatial(16, i)
            T.assume(not 12 <= v or a[v] == T.uint8(0))
    for i in range(16):
        with T.sblock("compute"):
            v = T.axis.spatial(16, i)
            b[v] = T.if_then_else(12 <= v, T.uint8(0), a[v] * T.uint8(3))
