from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def tiles(A: T.Buffer((16, 32, 64), "float32")):
        for i, j, k in T.grid(16, 2, 4):
            with T.sblock("tile"):
                T.reads()
                T.writes(A[i, j * 16:j * 16 + 16, k * 16:k * 16 + 16])
                s0 = T.int32()
                s1 = T.int32()
                tile = T.match_buffer(A[i, j * 16:j * 16 + 16, k * 16:k * 16 + 16], (16, 16), strides=(s0, s1), offset_factor=1)
                with T.sblock("row"):
                    T.reads()
                    T.writes(tile[3, 0:16])
                    row = T.match_buffer(tile[3, 0:16], (16,), offset_factor=1)
                    for x in range(16):
                        row[x] = T.Cast("float32", s0 + s1)
                    T.evaluate(T.call_extern("int32", "fill", tile.data, tile.elem_offset, s0))
