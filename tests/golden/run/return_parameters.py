from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"))) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"))):
        return (x, y)
