from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def relu(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"target": T.target("cuda")})
        for i in range(8):
            B[i] = T.if_then_else(i < 6, A[i], T.float32(0))
