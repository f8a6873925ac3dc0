from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, "n"), dtype="float32")) -> R.Tuple(R.Tensor((6,), dtype="float32"), R.Tensor((5,), dtype="float64"), R.Tensor((1,), dtype="float32"), R.Tensor(("n",), dtype="float32"), R.Tensor((), dtype="int64")):
        n = T.int64()
        a = R.hamming_window(6, True, 0.54, 0.46, "float32")
        b = R.hamming_window(5, False, 0.5, 0.5, "float64")
        c = R.hamming_window(1, True, 0.54, 0.46, "float32")
        d = R.hamming_window(n, True, 0.54, 0.46, "float32")
        return (a, b, c, d, R.size(x))
