from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            unused = R.exp(y)
            sum = R.add(x, y)
            gv = R.nn.relu(sum)
            R.output(gv)
        return gv
