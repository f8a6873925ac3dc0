from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def turn(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.func_attr({"target": T.target("cuda")})
        W = T.alloc_buffer((64,), "float32", scope="warp")
        V = T.alloc_buffer((64,), "float32", scope="warp")
        with T.launch_thread("threadIdx.x", 32) as tx:
            W[tx] = A[tx]
            W[tx + 32] = A[tx + 32]
            V[tx * 2] = W[tx]
            V[tx * 2 + 1] = W[(tx + 1) % 32 + 32]
            B[tx] = V[tx * 2 + 1]
