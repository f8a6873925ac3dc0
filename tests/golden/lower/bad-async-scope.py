from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((64,), "float32")):
        S = T.alloc_buffer((64,), "float32", scope="shared")
        with T.attr("default", "async_scope", 1):
            with T.attr("default", "async_scope", 1):
                for i in range(16):
                    S[i] = A[i]
