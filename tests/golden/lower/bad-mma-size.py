from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fill(D: T.Buffer((60, 32), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes()
            C = T.sblock_alloc_buffer((60, 32), scope="m16n8k8.matrixC")
            for i, j in T.grid(60, 32):
                with T.sblock("fill"):
                    T.reads()
                    T.writes()
                    C[i, j] = T.float32(0)
