from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), y: R.Tensor((4, 3), "float32")):
        a = R.permute_dims(x)
        b = R.permute_dims(y, axes=[0, 1])
        c = R.concat([a, b], axis=1)
        return c
