from tvm.script import ir as I
from tvm.script import relax as R

# Functions that differ in a constant only stay two.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            half = R.multiply(x, R.const(0.5, "float32"))
            again = R.multiply(half, R.const(0.5, "float32"))
            third = R.multiply(again, R.const(0.25, "float32"))
            R.output(third)
        return third
