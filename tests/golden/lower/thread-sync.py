from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def rotate(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        S = T.alloc_buffer((64,), "float32", scope="shared")
        with T.launch_thread("threadIdx.x", 64) as tx:
            for round in range(4):
                S[tx] = A[tx]
                B[tx] = B[tx] + S[(tx + 1) % 64]
            S[tx] = B[tx]
            A[tx] = S[tx]
