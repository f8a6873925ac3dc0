from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 4, 5), dtype="float32"), c: R.Tensor((1,), dtype="int32"), i: R.Tensor((1, 4), dtype="int32")):
        return R.vision.non_max_suppression(x, c, i, coord_start=2)
