from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 28, 28), "float32"), w: R.Tensor((4, 3, 3, 3), "float32"), bias: R.Tensor((26, 26), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, w, out_dtype="float32")
            b = R.add(a, bias)
            c = R.sum(b, axis=[1])
            d = R.nn.max_pool2d(b, pool_size=[2, 2])
            gv = R.nn.softmax(d, axis=1)
            R.output(c, gv)
        return (c, gv)
