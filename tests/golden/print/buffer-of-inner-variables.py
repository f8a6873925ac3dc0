@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    v: T.let[T.int32] = 3
    for i in range(4):
        C = T.Buffer((v, i), "int32", data=A.data)
        A[0] = T.call_extern("int32", "f", A[v], C[0, 0])
