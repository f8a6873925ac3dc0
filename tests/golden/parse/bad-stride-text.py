@T.prim_func
def main(a: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,), "int32", strides=("st"))
    B = T.match_buffer(a, (n,), "int32", elem_offset="o")
