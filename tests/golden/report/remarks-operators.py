from tvm.script import ir as I
from tvm.script import relax as R

# Operators are not fused before they have kernels.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32")):
        with R.dataflow():
            grown = R.exp(x)
            turned = R.negative(grown)
            R.output(turned)
        return turned
