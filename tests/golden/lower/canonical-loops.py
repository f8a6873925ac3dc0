from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def strided(x: T.Buffer((128,), "float32")):
        for i in T.serial(3, 120, step=4):
            for j in range(i, i + 2):
                x[j] = x[i]
