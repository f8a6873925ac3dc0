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
                        S = T.sblock_alloc_buffer((16, 128), scope="shared")
                        with T.sblock("in"):
                            T.reads(A[bx * 16:bx * 16 + 16, 0:128])
                            T.writes(S[0:16, 0:128])
                            T.sblock_attr({"auto_copy": True})
                            S[0, 0] = A[bx * 16, 0]
