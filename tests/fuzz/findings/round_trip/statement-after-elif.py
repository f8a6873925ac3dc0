@T.prim_func
def main(A: T.Buffer((4,), "int32"), h: T.handle, v0: T.int32):
    v: T.let[T.int32] = 3
    if A[0] > 0:
        with T.launch_thread("threadIdx.x", 4) as v:
            A[v] = 2
    else:
        if v > 1:
            A[v] = 1
        else:
            A[v] = 2
    for v in range(4):
        A[v] = v
