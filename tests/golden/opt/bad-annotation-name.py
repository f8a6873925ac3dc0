from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 8, 8), "float32"), w: R.Tensor((4, 4, 3, 3), "float32")):
        with R.dataflow():
            conv = R.nn.conv2d(x, w, padding=(1, 1))
            positive = R.nn.relu(conv)
            conv1 = R.nn.conv2d(positive, w, padding=(1, 1))
            positive1 = R.nn.relu(conv1)
            out = R.add(conv1, positive1)
            R.output(out)
        return out
