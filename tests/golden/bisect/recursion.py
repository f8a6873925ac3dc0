from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def power(x: R.Tensor((4, 4), "float32"), k: R.Tensor((), "int64")) -> R.Tensor((4, 4), "float32"):
        cls = Module
        done: R.Tensor((), "bool") = R.less_equal(k, R.const(1, "int64"))
        if done:
            r: R.Tensor((4, 4), "float32") = x
        else:
            less: R.Tensor((), "int64") = R.subtract(k, R.const(1, "int64"))
            rest: R.Tensor((4, 4), "float32") = cls.power(x, less)
            r: R.Tensor((4, 4), "float32") = R.matmul(rest, x)
        return r

    @R.function
    def main(x: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        cls = Module
        cube: R.Tensor((4, 4), "float32") = cls.power(x, R.const(3, "int64"))
        return cube
