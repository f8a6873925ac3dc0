# The last module is of v0.16, whatever the one above it and the words of a comment say: out_ty= s_tir=True
from tvm.script import ir as I, tir as T


@I.ir_module
class New:
    @T.prim_func(s_tir=True)
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi]


@I.ir_module
class Module:
    @T.prim_func
    def copy(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        C = T.alloc_buffer((4,))  # of the block: in v0.24 a statement
        for i in range(4):
            with T.block("b"):
                vi = T.axis.spatial(4, i)
                x = A[vi] + T.float32(1)  # a binding: in v0.25 a scalar that later lines change
                C[vi] = x
                B[vi] = C[vi]
