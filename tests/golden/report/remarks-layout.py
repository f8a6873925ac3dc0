from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 28, 28), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, out_dtype="float32")
            b = R.nn.relu(a)
            c = R.flatten(b)
            R.output(c)
        return c
