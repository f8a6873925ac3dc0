from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def chain(A: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32"), n: T.int32):
        B = T.alloc_buffer((64,), "float32")
        C = T.alloc_buffer((64,), "float32")
        E = T.alloc_buffer((80,), "float32")
        unused = T.alloc_buffer((64,), "float32")
        for i in range(64):
            B[i] = A[i] + T.float32(1.0)
        for i in range(64):
            C[i] = B[i] * T.float32(2.0)
        for i in range(64):
            E[i + 8] = C[63 - i]
        for i in range(64):
            D[i] = E[i + 8]

    @T.prim_func(s_tir=True)
    def vectors(A: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32")):
        for i in T.parallel(4):
            own = T.alloc_buffer((16,), "float32", scope="local")
            for j in range(4):
                own[j * 4:j * 4 + 4] = A[i * 16 + j * 4:i * 16 + j * 4 + 4]
            for j in range(4):
                D[i * 16 + j * 4:i * 16 + j * 4 + 4] = own[j * 4:j * 4 + 4]
