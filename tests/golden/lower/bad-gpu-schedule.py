from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def columns(A: T.Buffer((30, 7, 4), "float32"), B: T.Buffer((30, 4), "float32")):
        for i, k, j in T.grid(30, 7, 4):
            with T.sblock("sum"):
                vi, vk, vj = T.axis.remap("SRS", [i, k, j])
                T.reads(A[vi, vk, vj])
                T.writes(B[vi, vj])
                with T.init():
                    B[vi, vj] = T.float32(0)
                B[vi, vj] = B[vi, vj] + A[vi, vk, vj]
