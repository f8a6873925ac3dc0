from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def blur(x: T.Buffer((64, 66), "float32"), y: T.Buffer((64, 64), "float32")):
        twice = T.sblock_alloc_buffer((64, 66), "float32")
        for i in range(64):
            for j in range(66):
                with T.sblock("twice"):
                    T.reads(x[i, j])
                    T.writes(twice[i, j])
                    twice[i, j] = x[i, j] * T.float32(2.0)
            for jo, ji in T.grid(7, 10):
                with T.sblock("blur"):
                    T.where(jo * 10 + ji < 64)
                    T.reads(twice[i, jo * 10 + ji:jo * 10 + ji + 3])
                    T.writes(y[i, jo * 10 + ji])
                    y[i, jo * 10 + ji] = twice[i, jo * 10 + ji] + twice[i, jo * 10 + ji + 2]

    @T.prim_func(s_tir=True)
    def shared(x: T.Buffer((128,), "float32"), y: T.Buffer((128,), "float32")):
        for b in T.thread_binding(4, thread="blockIdx.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock(""):
                    T.reads(x[b * 32 + t])
                    T.writes(y[b * 32 + t])
                    mine = T.sblock_alloc_buffer((128,), "float32", scope="local")
                    ours = T.sblock_alloc_buffer((128,), "float32", scope="shared")
                    mine[b * 32 + t] = x[b * 32 + t]
                    ours[b * 32 + t] = mine[b * 32 + t]
                    y[b * 32 + t] = ours[b * 32 + 31 - t]
