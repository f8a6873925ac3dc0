from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((4,), dtype="int64"):
        m = R.bucketize(x, b)
        return m
