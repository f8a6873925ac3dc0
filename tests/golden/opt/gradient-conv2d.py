from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 5, 5), "float32"), w: R.Tensor((4, 2, 2, 2), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, strides=[2, 2], groups=2)
            gv = R.sum(a)
            R.output(gv)
        return gv
