# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def twice(g: R.Callable((R.Tensor((2, 3), dtype="float32"),), R.Tensor((2, 3), dtype="float32"), True), x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        a: R.Tensor((2, 3), dtype="float32") = g(x)
        b: R.Tensor((2, 3), dtype="float32") = g(a)
        return b

    @R.function
    def maker(k: R.Tensor((), dtype="float32")) -> R.Callable((R.Tensor((2, 3), dtype="float32"),), R.Tensor((2, 3), dtype="float32"), True):
        @R.function
        def inner(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
            y: R.Tensor((2, 3), dtype="float32") = R.multiply(x, k)
            return y
        return inner

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), k: R.Tensor((), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        h: R.Callable((R.Tensor((2, 3), dtype="float32"),), R.Tensor((2, 3), dtype="float32"), True) = cls.maker(k)
        y: R.Tensor((2, 3), dtype="float32") = cls.twice(h, x)
        return y
