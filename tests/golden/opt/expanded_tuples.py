from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def pair(p: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((4,), "float32")))) -> R.Tensor((4,), "float32"):
        inner = p[1]
        return R.add(p[0], inner[0])

    @R.function
    def main(p: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((4,), "float32")))) -> R.Tensor((4,), "float32"):
        return Module.pair(p)
