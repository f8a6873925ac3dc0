from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tiles(A: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 2):
            with T.sblock("tile"):
                T.reads()
                T.writes(A[i, j * 4:j * 4 + 4])
                part = T.match_buffer(A[i, j * 4:j * 4 + 4], (8,), offset_factor=1)
                part[0] = T.float32(1.0)
