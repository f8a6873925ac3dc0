@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    A[0] = T.Call("float32", "tir.exp", [A[1]])
    A[1] = T.Call(dtype="float32", op="tirx.pow", args=(A[2], A[3]))
