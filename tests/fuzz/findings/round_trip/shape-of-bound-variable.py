@T.prim_func
def main(A: T.Buffer((4,), "int32"), h: T.handle, v0: T.int32):
    v = T.launch_thread("threadIdx.x", 4)
    for i in range(4):
        with T.sblock("b"):
            w = T.axis.spatial(4, v)
            T.reads(A[w])
            A[w] = v
    for i in range(4):
        C = T.Buffer((v,), "int32", data=A.data)
        A[0] = T.call_extern("int32", "f", A[v], C[0])
