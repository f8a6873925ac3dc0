from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")):
        return R.median(x, axis=[0, 1])
