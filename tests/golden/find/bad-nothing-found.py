from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 8), "float32")):
        with R.dataflow():
            product = R.matmul(x, w)
            shifted = R.add(R.const(1.0, "float32"), product)
            positive = R.nn.relu(shifted)
            product1 = R.matmul(positive, w)
            shifted1 = R.add(product1, product)
            out = R.nn.relu(shifted1)
            R.output(out)
        return out
