from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def rows(A: T.Buffer((300, 7), "float32"), B: T.Buffer((300,), "float32"), C: T.Buffer((), "float32")):
        for i, k in T.grid(300, 7):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
        for k in range(300):
            with T.sblock("all"):
                vk = T.axis.reduce(300, k)
                T.reads(B[vk])
                T.writes(C[()])
                with T.init():
                    C[()] = T.float32(0)
                C[()] = C[()] + B[vk]

    @T.prim_func(s_tir=True)
    def scale(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        B = T.match_buffer(b, (n, 4))
        for i, j in T.grid(n, 4):
            with T.sblock("scale"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj] * T.float32(2)
