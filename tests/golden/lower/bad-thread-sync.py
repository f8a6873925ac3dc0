from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def rotate(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        S = T.alloc_buffer((64,), "float32", scope="shared")
        with T.launch_thread("threadIdx.x", 64) as tx:
            if tx < 32:
                S[tx] = A[tx]
                B[tx] = S[31 - tx]
