# Threads of kernels of a device, in the interpreter: each statement of one, and what is wrong with all of them.
@I.ir_module
class Module:
    @T.prim_func
    def k(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for b in T.thread_binding(8, thread="blockIdx.x"):
            for t in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock(""):
                    ours = T.sblock_alloc_buffer((8,), scope="shared")
                    ours[t] = x[b * 8 + t]
                    y[b * 8 + t] = ours[7 - t]

    @T.prim_func
    def racing(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for t in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock(""):
                y[0] = x[t]

    @T.prim_func
    def outside(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for t in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock(""):
                y[t] = x[t + 1]

    @R.function
    def main(x: R.Tensor((64,), "float32")):
        cls = Module
        a = R.call_tir(cls.k, (x,), out_sinfo=R.Tensor((64,), "float32"))
        b = R.call_tir(cls.racing, (a,), out_sinfo=R.Tensor((64,), "float32"))
        c = R.call_tir(cls.outside, (b,), out_sinfo=R.Tensor((64,), "float32"))
        return c
