from tvm.script import ir as I
from tvm.script import relax as R


# The other function stays as it is.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.add(x, x)
        return y

    @R.function
    def other(x: R.Tensor((4,), "float32")):
        y = R.multiply(x, x)
        return y
