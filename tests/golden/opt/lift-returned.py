from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 3), "float32"), weight: R.Tensor((3, 2), "float32")
    ) -> R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((2, 3), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            turned = R.permute_dims(weight)
            sum = R.add(x, x)
            R.output(turned, sum)
        return (sum, turned)
