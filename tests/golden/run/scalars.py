from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((), dtype="float32"), y: R.Tensor((), dtype="int64")) -> R.Tuple(R.Tensor((), dtype="float32"), R.Tensor((1, 1), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        a = R.sqrt(R.add(x, R.astype(y, "float32")))
        b = R.expand_dims(a, axis=[0, 1])
        c = R.broadcast_to(a, R.shape([2, 2]))
        return (a, b, c)
