# A stride in quotes is a new variable of the type of the indices.
@T.prim_func(s_tir=True)
def main(c: T.handle, d: T.handle):
    n = T.int64()
    st = T.int32()
    C = T.match_buffer(c, (n,), "int32", strides=("s",))
    D = T.match_buffer(d, (n, 4), "int32", strides=(st, 1), elem_offset=T.int32())
    C[0] = T.Cast("int32", C.strides[0]) + st
