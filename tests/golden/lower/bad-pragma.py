from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fill(x: T.Buffer((8,), "float32")):
        for i in T.serial(8, annotations={"pragma_note": [1, 2]}):
            x[i] = T.float32(1.0)
