# On a device and on the processor: every binding has the same value; other peers and `--precise` beside `--passes` are refused.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 6), "float32")) -> R.Tensor((4, 6), "float32"):
        with R.dataflow():
            product = R.matmul(x, w)
            shifted = R.add(product, R.const(1.5, "float32"))
            positive = R.nn.relu(shifted)
            out = R.nn.softmax(positive, axis=-1)
            R.output(out)
        return out
