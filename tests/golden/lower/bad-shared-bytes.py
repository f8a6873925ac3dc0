from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def chain(A: T.Buffer((128,), "float32"), D: T.Buffer((128,), "float32")):
        t = T.launch_thread("threadIdx.x", 128)
        first = T.alloc_buffer((2, 64), "float32", scope="shared.dyn")
        second = T.alloc_buffer((64,), "float16", scope="shared.dyn")
        third = T.alloc_buffer((2, 64), "float32", scope="shared.dyn")
        first[t // 64, t % 64] = A[t]
        second[t // 2] = T.Cast("float16", first[0, 0])
        third[t // 64, t % 64] = T.Cast("float32", second[t // 2])
        D[t] = third[0, 0]
