from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copies(A: T.Buffer((128,), "float32"), D: T.Buffer((128,), "float32")):
        vt = T.launch_thread("vthread", 2)
        own = T.alloc_buffer((64,), "float32", scope="local")
        same = T.alloc_buffer((64,), "float32", scope="local")
        for i in range(64):
            own[i] = A[vt * 64 + i]
            same[i] = T.float32(1.0)
        for i in range(64):
            D[vt * 64 + i] = own[i] + same[i]
