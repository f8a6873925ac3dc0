from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def row_max(A: T.Buffer((128, 120), "float32"), B: T.Buffer((128,), "float32")):
        for i in T.thread_binding(128, thread="blockIdx.x"):
            for ko in range(4):
                for ki in T.thread_binding(32, thread="threadIdx.x"):
                    with T.sblock("top"):
                        vi = T.axis.spatial(128, i)
                        vk = T.axis.reduce(120, ko * 32 + ki)
                        T.where(ko * 32 + ki < 120)
                        T.reads(A[vi, vk])
                        T.writes(B[vi])
                        with T.init():
                            B[vi] = T.float32(-340282346638528859811704183484516925440.0)
                        B[vi] = T.max(B[vi], A[vi, vk])
