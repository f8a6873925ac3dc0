from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def layer(x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            y: R.Tensor((2, 3), "float32") = R.matmul(x, R.permute_dims(w))
            half: R.Tensor((2, 3), "float32") = R.multiply(y, R.const(0.5, "float32"))
            z: R.Tensor((2, 3), "float32") = R.tanh(half)
            R.output(z)
        return z

    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"), w: R.Tensor((3, 4), "float32"), v: R.Tensor((3, 4), "float32")
    ) -> R.Tensor((2, 3), "float32"):
        cls = Module
        first: R.Tensor((2, 3), "float32") = cls.layer(x, w)
        second: R.Tensor((2, 3), "float32") = cls.layer(x, v)
        sum: R.Tensor((2, 3), "float32") = R.add(first, second)
        return sum
