from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def scale(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for t in T.thread_binding(8, thread="threadIdx.x"):
                for u in T.serial(4, annotations={"pragma_auto_unroll_max_step": 16, "keep": 1}):
                    with T.sblock("scale"):
                        v = T.axis.spatial(64, b * 32 + t * 4 + u)
                        T.reads(x[v])
                        T.writes(y[v])
                        T.sblock_attr({"pragma_note": "here"})
                        y[v] = x[v] * T.float32(2.0)
