from tvm.script import ir as I
from tvm.script import relax as R

# Three products of x with a bias each. The one of unknown width comes last, and its weight is made in between.
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((4, 8), "float32"),
        w0: R.Tensor((8, 16), "float32"),
        w1: R.Tensor((8, "n"), "float32"),
        w2: R.Tensor((8, 8), "float32"),
        b0: R.Tensor((16,), "float32"),
        b1: R.Tensor(("n",), "float32"),
        b2: R.Tensor((8,), "float32"),
    ):
        with R.dataflow():
            product0 = R.matmul(x, w0)
            sum0 = R.add(product0, b0)
            doubled = R.add(w1, w1)
            product1 = R.matmul(x, doubled)
            sum1 = R.add(product1, b1)
            product2 = R.matmul(x, w2)
            sum2 = R.add(product2, b2)
            out = (sum0, sum1, sum2)
            R.output(out)
        return out
