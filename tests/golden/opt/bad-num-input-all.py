from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), h: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        with R.dataflow():
            t: R.Tensor((4, 4), dtype="float32") = R.permute_dims(w)
            y: R.Tensor((2, 4), dtype="float32") = R.matmul(x, t)
            z: R.Tensor((2, 4), dtype="float32") = R.add(y, h)
            R.output(z)
        return z
