from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((1, 4, 6), dtype="float32")):
        c = R.const([9], "int32")
        i = R.const([[0, 1, 2, 3]], "int32")
        return R.vision.non_max_suppression(x, c, i)
