from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 2, 5, "n"), dtype="float32"), y: R.Tensor((1, 2, 3), dtype="float32")) -> R.Tuple(R.Tensor((1, 2, 3, 3), dtype="float32"), R.Tensor((1, 2, 5), dtype="float32"), R.Tensor((1, 2, 3), dtype="float32"), R.Tensor((1, 2, 3), dtype="float32")):
        a = R.nn.adaptive_avg_pool2d(x, output_size=[3, 3])
        b = R.nn.adaptive_avg_pool1d(y, output_size=[5])
        c = R.sum(y, axis=[])
        d = R.mean(y, axis=[], keepdims=True)
        return (a, b, c, d)
