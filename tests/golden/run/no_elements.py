from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32"), y: R.Tensor((3, 0), dtype="float32")) -> R.Tuple(R.Tensor(("n", 3), dtype="float32"), R.Tensor((3,), dtype="float32"), R.Tensor(("n", 0), dtype="float32"), R.Tensor((3, 3), dtype="float32")):
        n = T.int64()
        a = R.exp(x)
        b = R.sum(x, axis=[0])
        c = R.matmul(x, y)
        d = R.matmul(y, R.permute_dims(y))
        return (a, b, c, d)
