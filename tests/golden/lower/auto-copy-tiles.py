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
                        S = T.sblock_alloc_buffer((16, 128), "float16", scope="shared")
                        F = T.sblock_alloc_buffer((16, 128), "float16", scope="wmma.matrix_b")
                        C = T.sblock_alloc_buffer((16, 128), scope="wmma.accumulator")
                        with T.sblock("load"):
                            T.reads(S[0:16, 0:128])
                            T.writes(F[0:16, 0:128])
                            T.sblock_attr({"auto_copy": True})
                            for i, j in T.grid(16, 128):
                                F[i, j] = S[i, j]
                        with T.sblock("store"):
                            T.reads(C[0:16, 0:128])
                            T.writes(B[bx * 16:bx * 16 + 16, 0:128])
                            T.sblock_attr({"auto_copy": True, "vector_bytes": 8})
                            for i, j in T.grid(16, 128):
                                B[bx * 16 + i, j] = C[i, j]
