from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            lv = R.multiply(x, R.const(2, "float32"))
            lv2 = R.exp(lv)
            lv1 = R.multiply(x, lv2)
            gv = R.negative(lv1)
            R.output(gv)
        return gv
