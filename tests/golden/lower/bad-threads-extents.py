# One axis of a kernel has one extent.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((128,), "float32"), b: T.Buffer((128,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            a[bx * 32 + tx] = T.float32(0.0)
        for ty in T.thread_binding(16, thread="threadIdx.x"):
            b[bx * 16 + ty] = T.float32(1.0)
