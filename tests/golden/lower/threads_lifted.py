# The axis moves to what holds all its loops; loops over other things stay around them.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((128,), "float32"), b: T.Buffer((128,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for k in range(8):
            for ty in T.thread_binding(4, thread="threadIdx.y", annotations={"mark": 1}):
                a[bx * 32 + k * 4 + ty] = T.float32(0.0)
            for tz in T.thread_binding(4, thread="threadIdx.y"):
                b[bx * 32 + k * 4 + tz] = T.float32(1.0)
