@T.prim_func
def main(A: T.Buffer((64,), "float32"), c: T.handle, s: T.int32, f: T.float32, b: T.bool, h: T.handle):
    n = T.uint64()
    C = T.match_buffer(c, (n,), "int32", strides=("st",), elem_offset=T.int64())
    for i, j in T.grid(4, 4):
        v = T.int32()
        w: T.let[T.int32] = T.Mod(T.const(1, "int8"), T.uint64(3))
