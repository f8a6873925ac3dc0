from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            lv = R.add(x, x)
            lv1 = R.exp(lv)
            lv2 = R.multiply(x, lv1)
            gv = R.negative(lv2)
            R.output(gv)
        return gv
