from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 4, "n", 3), dtype="float32"), g: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32"), h: R.Tensor((1, 2, 3), dtype="float16")) -> R.Tuple(R.Tensor((2, 4, "n", 3), dtype="float32"), R.Tensor((2, 1, "n * 2", 6), dtype="float32"), R.Tensor((2, "n * 12"), dtype="float32"), R.Tensor((1, 2, 3), dtype="float16")):
        a = R.nn.instance_norm(R.nn.selu(x), g, b, channel_axis=1, axes=[2, 3])
        c = R.nn.pixel_shuffle(x, 2)
        d = R.nn.batch_flatten(x)
        return (a, c, d, R.nn.selu(h))
