from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
        with R.dataflow():
            xs = R.grad.start_checkpoint(x)
            a = R.multiply(xs, y)
            b = R.exp(a)
            c = R.grad.end_checkpoint(b)
            d = R.multiply(c, c)
            gv = R.sum(d)
            R.output(d, gv)
        return (d, gv)
