from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fill(D: T.Buffer((8,), "float32")):
        B = T.alloc_buffer((2, 4), "float32")
        for i, j in T.grid(2, 4):
            B[i, j] = T.float32(1.0)
        for i in T.vectorized(8):
            D[i] = B[i // 4, i % 4]
