from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 3, 2), dtype="float32"), y: R.Tensor((4,), dtype="int32")) -> R.Tuple(R.Tensor(("n", 2), dtype="float32"), R.Tensor(("n", 2), dtype="int64"), R.Tensor((1, 3, 2), dtype="float32"), R.Tensor((1, 3, 2), dtype="int64"), R.Tensor((), dtype="float32"), R.Tensor((1,), dtype="int32")):
        a = R.median(x, axis=1)
        b = R.median(x, axis=[-3], keepdims=True)
        c = R.median(x)
        d = R.median(y, keepdims=True)
        return (a[0], a[1], b[0], b[1], c, d)
