from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def stage(A: T.Buffer((16, 24), "float16")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            S = T.sblock_alloc_buffer((16, 24), "float16", scope="shared")
            for r, c in T.grid(16, 24):
                with T.sblock("store"):
                    T.reads(A[r, c])
                    T.writes(S[r, c])
                    T.sblock_attr({"permuted_layout": 1})
                    S[r, c] = A[r, c]
