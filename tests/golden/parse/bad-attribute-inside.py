@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for i in range(64):
        T.func_attr({"k": i})
        A[i] = T.float32(0)
