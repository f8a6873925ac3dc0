from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((1024, 128), "float32"), B: T.Buffer((1024, 128), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            T.sblock_attr({"warp_execution": True})
            for bx in T.thread_binding(64, thread="blockIdx.x"):
                for ty in T.thread_binding(4, thread="threadIdx.y"):
                    with T.sblock(""):
                        T.reads(A[bx * 16:bx * 16 + 16, 0:128])
                        T.writes(B[bx * 16:bx * 16 + 16, 0:128])
                        S = T.sblock_alloc_buffer((16, 128), scope="shared.dyn")
                        with T.sblock("in"):
                            T.reads(A[bx * 16:bx * 16 + 16, 0:128])
                            T.writes(S[0:16, 0:128])
                            T.sblock_attr({"auto_copy": True, "local_stage": True, "vector_bytes": 16})
                            for i, j in T.grid(16, 128):
                                S[i, j] = A[bx * 16 + i, j]
                        with T.sblock("out"):
                            T.reads(S[0:16, 0:128])
                            T.writes(B[bx * 16:bx * 16 + 16, 0:128])
                            T.sblock_attr({"auto_copy": True})
                            for j, i in T.grid(128, 16):
                                B[bx * 16 + i, j] = S[i, j]
