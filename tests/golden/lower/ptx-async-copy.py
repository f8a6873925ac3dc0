from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((64,), "float32"), n: T.int32):
        S = T.alloc_buffer((64,), "float32", scope="shared")
        S_guarded = T.alloc_buffer((64,), "float32", scope="shared")
        with T.attr("default", "async_scope", 1):
            for i in range(16):
                S[T.Ramp(i * 4, 1, 4)] = A[T.Ramp(i * 4, 1, 4)]
                S_guarded[i] = T.if_then_else(i < n, A[i], T.float32(0))
                S_guarded[i + 16] = T.if_then_else(i < n, A[i], T.float32(1))
