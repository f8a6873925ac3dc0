from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), k: R.Tensor((), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        @R.function
        def outer(y: R.Tensor((2, 3), dtype="float32")) -> R.Callable((R.Tensor((2, 3), dtype="float32"),), R.Tensor((2, 3), dtype="float32"), True):
            s = R.multiply(y, k)
            @R.function
            def inner(z: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
                t = R.add(z, s)
                u = R.subtract(t, x)
                return u
            return inner
        f = outer(x)
        g = f(x)
        h = f(g)
        return h
