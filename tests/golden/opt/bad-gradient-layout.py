from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 5, 5, 4), "float32"), w: R.Tensor((4, 4, 2, 2), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, data_layout="NHWC")
            gv = R.sum(a)
            R.output(gv)
        return gv
