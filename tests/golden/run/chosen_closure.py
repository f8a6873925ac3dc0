from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def pick(c: R.Tensor((), dtype="bool")) -> R.Callable((R.Tensor((2,), dtype="float32"),), R.Tensor((2,), dtype="float32"), True):
        @R.function
        def f(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            return R.exp(x)
        @R.function
        def g(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
            return R.negative(x)
        if c:
            h = f
        else:
            h = g
        return h

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        h = cls.pick(c)
        y = h(x)
        z = h(y)
        return z
