from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def every(A: T.Buffer((64,), "float32")):
        for i in T.serial(1, 9, step=2):
            A[i] = T.float32(0)
