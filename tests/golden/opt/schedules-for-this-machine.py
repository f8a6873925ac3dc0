from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        with R.dataflow():
            a: R.Tensor((2, 4), "float32") = R.matmul(x, w)
            b: R.Tensor((2, 4), "float32") = R.exp(a)
            R.output(b)
        return b
