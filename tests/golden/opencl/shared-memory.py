from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:

    @T.prim_func(s_tir=True)
    def reverse(x: T.Buffer((128,), "float16"), y: T.Buffer((128,), "float16")):
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock(""):
                    T.reads(x[b * 32 + t])
                    T.writes(y[b * 32 + t])
                    ours = T.sblock_alloc_buffer((32,), "float16", scope="shared")
                    ours[t] = x[b * 32 + t] * T.float16(2.0)
                    y[b * 32 + t] = ours[31 - t]
