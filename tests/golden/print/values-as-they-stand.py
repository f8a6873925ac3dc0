@T.prim_func
def main(s: T.int32):
    v = T.int64()
    T.func_attr({"k": v + T.int64(1)})
    T.evaluate(T.Mod(T.uint64(1), T.uint64(3)))
    T.evaluate(T.float32("-nan"))
