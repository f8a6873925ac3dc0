from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def turn(A: T.Buffer((64,), "float32")):
        T.func_attr({"target": T.target("cuda")})
        W = T.alloc_buffer((1024,), "float32", scope="warp")
        with T.launch_thread("threadIdx.x", 32) as tx:
            W[tx * tx] = A[tx]
