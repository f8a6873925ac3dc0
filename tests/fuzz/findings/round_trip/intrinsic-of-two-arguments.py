@T.prim_func
def main(A: T.Buffer((64,), "float32"), c: T.handle, s: T.int32, f: T.float32, b: T.bool, h: T.handle):
    n = T.int64()
    C = T.match_buffer(c, (n,), "int32", strides=("st",), elem_offset=T.int64())
    for i, j in T.grid(4, 4):
        v = T.int32()
        while T.call_intrin("handle", "tirx.exp", T.address_of(-1), (T.uint64(18446744073709551615) & T.int64(3))):
            A[0] = 1.0
