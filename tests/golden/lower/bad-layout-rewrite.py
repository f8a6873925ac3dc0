@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), W: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("copy"):
                vi = T.axis.spatial(8, i)
                T.reads(A[vi])
                T.writes(W[vi])
                T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                W[vi] = A[vi] * T.float32(2)
