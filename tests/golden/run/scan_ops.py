from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 3, 2), dtype="float32"), y: R.Tensor((4,), dtype="int8")) -> R.Tuple(R.Tensor(("n", 3, 2), dtype="float32"), R.Tensor(("n", 3, 2), dtype="float32"), R.Tensor(ndim=1, dtype="float32"), R.Tensor((4,), dtype="int32"), R.Tensor(("n", 3, 2), dtype="float64")):
        a = R.cumsum(x, axis=1)
        b = R.cumprod(x, axis=-3)
        c = R.cumsum(x)
        d = R.cumprod(y, axis=0, dtype="int32")
        e = R.cumsum(x, axis=2, dtype="float64", exclusive=True)
        return (a, b, c, d, e)
