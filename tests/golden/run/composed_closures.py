from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def compose(f: R.Callable((R.Tensor((2,), dtype="float32"),), R.Tensor((2,), dtype="float32"), True), g: R.Callable((R.Tensor((2,), dtype="float32"),), R.Tensor((2,), dtype="float32"), True)) -> R.Callable((R.Tensor((2,), dtype="float32"),), R.Tensor((2,), dtype="float32"), True):
        @R.function
        def h(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            a = g(x)
            b = f(a)
            return b
        return h

    @R.function
    def sq(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        return R.multiply(x, x)

    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        h = cls.compose(cls.sq, cls.sq)
        k = cls.compose(h, h)
        y = k(x)
        return y
