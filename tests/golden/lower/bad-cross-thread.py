from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def no_reducer(A: T.Buffer((128, 32), "float32"), B: T.Buffer((128,), "float32")):
        for i in range(128):
            for k in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("odd"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(3.0)
                    B[vi] = B[vi] - A[vi, vk]

    @T.prim_func(s_tir=True)
    def block_threads(A: T.Buffer((128, 32), "float32"), B: T.Buffer((128,), "float32")):
        for i in range(128):
            for k in T.thread_binding(32, thread="blockIdx.x"):
                with T.sblock("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(0.0)
                    B[vi] = B[vi] + A[vi, vk]
