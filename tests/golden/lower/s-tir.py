from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def add(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.func_attr({"global_symbol": "add", "target": T.target({"kind": "cuda", "arch": "sm_80", "max_num_threads": 1024, "thread_warp_size": 32, "host": {"kind": "llvm"}}), "tirx.noalias": True})
        S = T.sblock_alloc_buffer((64,), "float32", scope="shared")
        for b in T.thread_binding(1, thread="blockIdx.x"):
            for t in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("stage"):
                    v = T.axis.spatial(64, t)
                    T.reads(A[v])
                    T.writes(S[v])
                    S[v] = A[v] + T.float32(1)
            for t in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("turn"):
                    v = T.axis.spatial(64, t)
                    T.reads(S[63 - v])
                    T.writes(B[v])
                    B[v] = S[63 - v]
