from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def multiply(A: T.Buffer((256,), "float16")):
        A_frag = T.alloc_buffer((256,), "float16", scope="wmma.matrix_a")
        C_frag = T.alloc_buffer((256,), "float32", scope="wmma.accumulator")
        T.tvm_fill_fragment(C_frag.data, 32, 8, 16, 0, T.float32(0))
        T.tvm_load_matrix_sync(A_frag.data, 16, 16, 16, 0, A.data, 16, "row_major")
        T.tvm_mma_sync(C_frag.data, 0, A_frag.data, 0, A_frag.data, 0, C_frag.data, 0)
