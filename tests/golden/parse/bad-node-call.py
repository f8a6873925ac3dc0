@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    A[0] = T.Call("float32", "foo", [A[1]])
    A[1] = T.Call("float32", "tir.exp", A[2])
    A[2] = T.Call("float32", "tir.exp")
