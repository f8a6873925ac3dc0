from tvm.script import ir as I
from tvm.script import relax as R

# relu and the sum join the product before them, and the last product the softmax: the sum is needed by both of these.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 8), "float32")):
        with R.dataflow():
            product = R.matmul(x, w)
            positive = R.nn.relu(product)
            shifted = R.add(positive, R.const(1.0, "float32"))
            soft = R.nn.softmax(shifted)
            out = R.multiply(soft, shifted)
            R.output(out)
        return out
