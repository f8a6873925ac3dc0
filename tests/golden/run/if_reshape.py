from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 6), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        if c:
            a = R.reshape(x, R.shape([n * 2, 3]))
            y = R.exp(a)
        else:
            b = R.reshape(x, R.shape([3, n * 2]))
            y = R.negative(b)
        z = R.add(y, y)
        return z
