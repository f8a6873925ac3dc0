from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def strided(x: T.Buffer((128,), "float32"), n: T.int32):
        for i in T.serial(0, 120, step=n):
            x[i] = T.float32(1.0)
