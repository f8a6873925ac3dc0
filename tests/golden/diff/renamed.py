from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                v = T.axis.spatial(4, i)
                B[v] = A[v] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            sum = R.add(x, y)
            b = R.exp(sum)
            c = R.tanh(y)
            d = R.multiply(b, c)
            gv = R.subtract(d, x)
            R.output(gv)
        return gv

    @R.function
    def old(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x
