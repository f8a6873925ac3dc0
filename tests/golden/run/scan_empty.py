from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 0), dtype="float32"), y: R.Tensor((0, 3), dtype="float32")) -> R.Tuple(R.Tensor(("n", 0), dtype="float32"), R.Tensor((0, 3), dtype="float32")):
        a = R.cumsum(x, axis=1)
        b = R.cumsum(y, axis=0)
        return (a, b)
