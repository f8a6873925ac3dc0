from tvm.script import ir as I
from tvm.script import relax as R


# Code for an older processor of the same kind runs here too.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32")):
        with R.dataflow():
            y = R.multiply(x, x)
            R.output(y)
        return y
