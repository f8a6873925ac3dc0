@T.prim_func
def main(B: T.Buffer((4,), "float32")):
    B[0] = T.call_intrin("float32", "tir.reinterpret", T.int8(1))
