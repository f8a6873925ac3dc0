from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 4, 2, 2), dtype="float32"), g: R.Tensor((3,), dtype="float32")):
        return R.nn.instance_norm(x, g, g, channel_axis=1, axes=[2, 3])
