from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def stage(A: T.Buffer((16, 64), "float16")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            S = T.sblock_alloc_buffer((16, 64), "float16", scope="shared")
            R = T.sblock_alloc_buffer((8,), "float16", scope="local")
            for r, c, v in T.grid(16, 8, 8):
                with T.sblock("store"):
                    T.reads(A[r, c * 8 + v])
                    T.writes(S[r, c * 8 + v])
                    T.sblock_attr({"permuted_layout": 1})
                    S[r, c * 8 + v] = A[r, c * 8 + v]
            with T.sblock("load"):
                T.reads(S[0:16, 0:64])
                T.writes(R[0:8])
                T.sblock_attr({"permuted_layout": "s2l"})
                T.ptx.ldmatrix_legacy(T.bool(False), 4, ".b16", R.data, 0, T.tvm_access_ptr(T.type_annotation("float16"), S.data, 64, 512, 1), 8)
