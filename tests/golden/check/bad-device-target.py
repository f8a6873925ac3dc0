# A target that nobody knows.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def one(x: T.Buffer((8,), "float32")):
        for i in range(8):
            x[i] = T.float32(1)
