@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    tx = T.thread_id([32])
    T.ptx.mbarrier.init.shared.b64(A.data, T.uint32(1))
    A[tx] = T.float32(0)
