from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function(private=True)
    def scaled(x: R.Tensor((2, 3), "float32"), by: R.Tensor((), "float32")) -> R.Tensor((2, 3), "float32"):
        with R.dataflow():
            gv = R.multiply(x, by)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        cls = Module
        with R.dataflow():
            doubled = cls.scaled(x, R.const(2, "float32"))
            R.output(doubled)
        return doubled
