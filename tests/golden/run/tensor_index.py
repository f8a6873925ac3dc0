from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((4, "n"), dtype="float32"), u: R.Tensor((2, "n"), dtype="float32"), v: R.Tensor((4, 2), dtype="float32")) -> R.Tuple(R.Tensor((3, 2), dtype="float32"), R.Tensor((2, "n"), dtype="float32"), R.Tensor((4, "n"), dtype="float32"), R.Tensor((4, "n"), dtype="float32"), R.Tensor((4, "n"), dtype="float32"), R.Tensor((4, "n"), dtype="float32")):
        i = R.const([[3], [0], [-1]], "int64")
        j = R.const([[0, 2]], "int32")
        a = R.index_tensor(x, (R.const([[3], [0], [1]], "int64"), j))
        b = R.index_tensor(x, (R.const([2, 2], "int32"),))
        c = R.index_put(x, (i, j), R.const([[1.0, 2.0]], "float32"))
        d = R.index_put(x, (R.const([1, 1, -3], "int64"), R.const([0, 0, 0], "int64")), R.const([1.0, 2.0, 4.0], "float32"), accumulate=True)
        e = R.slice_scatter(x, u, 1, 4, 2, axis=0)
        f = R.slice_scatter(x, v, 1, 3, 1, axis=1)
        return (a, b, c, d, e, f)
