from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def copies(D: T.Buffer((128,), "float32"), n: T.int32):
        vt = T.launch_thread("vthread", n)
        for i in range(4):
            D[vt * 4 + i] = T.float32(1.0)
