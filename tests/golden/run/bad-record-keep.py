# A recording keeps what its policy names, and there is none of this name.
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32"), z: R.Tensor((2,), "float32")):
        return R.add(x, R.add(y, z))
