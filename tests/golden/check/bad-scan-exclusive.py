from tvm.script import ir as I, relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        y = R.cumsum(x, axis=1, exclusive="no")
        return R.sum(y, keepdims=None)
