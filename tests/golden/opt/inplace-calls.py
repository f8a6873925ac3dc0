from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            a = R.add(x, y)
            b = R.nn.relu(a)
            view = R.reshape(b, R.shape([3, 2]))
            c = R.multiply(b, x)
            d = R.subtract(c, b)
            gv = R.sum(view)
            gv1 = R.add(d, y)
            R.output(gv, gv1)
        return (gv, gv1)
