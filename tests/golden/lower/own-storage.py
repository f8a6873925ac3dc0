from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def forms(A: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32"), n: T.int32):
        if n == 1:
            with T.attr(1, "own_code", 1):
                D[0] = A[0]
        else:
            with T.attr(1, "own_code", 1):
                B = T.alloc_buffer((64,), "float32")
                for i in range(n):
                    B[i] = A[i] + T.float32(1.0)
                for i in T.parallel(4):
                    own = T.alloc_buffer((16,), "float32")
                    for j in range(16):
                        own[j] = B[i * 16 + j]
                    for j in range(16):
                        D[i * 16 + j] = own[15 - j]
