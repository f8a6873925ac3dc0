from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((64, 32), "float32"), D: T.Buffer((64, 32), "float32")):
        for b in T.thread_binding(64, thread="blockIdx.x"):
            with T.sblock("row"):
                T.reads(A[b, 0:32])
                T.writes(D[b, 0:32])
                shared = T.sblock_alloc_buffer((32,), "float32", scope="shared")
                for i in range(32):
                    with T.sblock("stage"):
                        T.reads(A[b, i])
                        T.writes(shared[i])
                        T.sblock_attr({"tirx.manifest_shared_memory_local_stage": 1})
                        shared[i] = A[b, i]
                for i in range(32):
                    with T.sblock("use"):
                        T.reads(shared[31 - i])
                        T.writes(D[b, i])
                        D[b, i] = shared[31 - i]
