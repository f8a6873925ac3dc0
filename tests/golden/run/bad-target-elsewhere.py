from tvm.script import ir as I
from tvm.script import relax as R


# A processor of another kind: its code does not run here.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32")):
        with R.dataflow():
            y = R.multiply(x, x)
            R.output(y)
        return y
