# The weight comes in the layout that the first block would copy it to.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 16), "float32"), C: T.Buffer((8, 16), "float32")):
        W = T.sblock_alloc_buffer((2, 16, 4))
        for i, j in T.grid(8, 16):
            with T.sblock("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(W[vi // 4, vj, vi % 4])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W[vi // 4, vj, vi % 4] = A[vi, vj]
        for i, j in T.grid(8, 16):
            with T.sblock("use"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(W[vi // 4, vj, vi % 4])
                T.writes(C[vi, vj])
                C[vi, vj] = W[vi // 4, vj, vi % 4] + T.float32(1)
