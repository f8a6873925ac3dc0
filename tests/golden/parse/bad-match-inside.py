@T.prim_func
def main(A: T.Buffer((4,), "int32"), h: T.handle):
    v = T.launch_thread("threadIdx.x", 4)
    D = T.match_buffer(h, (v, 4), "int32")
    A[v] = D[v, 0]
