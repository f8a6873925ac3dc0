from tvm.script import ir as I
from tvm.script import relax as R

# The second swaps other dimensions than the last two.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((16, 8), "float32"), y: R.Tensor((4, 2, 4), "float32"), v: R.Tensor((4, 4, 2), "float32")):
        with R.dataflow():
            turned = R.permute_dims(w)
            product = R.matmul(x, turned)
            turned1 = R.permute_dims(v, axes=[1, 0, 2])
            product1 = R.matmul(y, turned1)
            out = (product, product1)
            R.output(out)
        return out
