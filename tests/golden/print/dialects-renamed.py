from tvm.script import ir as I, tir as TT
from tvm.script import (relax as rx)
# s_tir= out_ty= R.Any: a comment says nothing

@I.ir_module
class Module:
    @TT.prim_func
    def add1(A: TT.Buffer((4,), "float32"), B: TT.Buffer((4,), "float32")):
        for i in range(4):
            with TT.block("b"):
                vi = TT.axis.spatial(4, i)
                B[vi] = A[vi] + TT.float32(1)

    @rx.function
    def main(x: rx.Tensor(("n", 4), "float32"), s: rx.Shape(["n"])) -> rx.Tensor(("n", 4), "float32"):
        n = TT.int64()  # s_tir=True
        cls = Module
        with rx.dataflow():  # a comment
            # y = nothing
            y = rx.add(x, x)
            z = rx.add(
                y,
                x,
            )  # rx.output(y)
            rx.output(z)  # y
        return z
