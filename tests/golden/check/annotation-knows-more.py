# What a text says of a call may be more than its operator can tell: the element type and the device of what comes out.
from tvm.script import ir as I, relax as R


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm")]})

    @R.function
    def main(x: R.Tensor((2, 3)), z: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        y: R.Tensor((2, 3), "float32") = R.add(x, x)
        w: R.Tensor((2, 3), "float32", "llvm") = R.add(z, z)
        return y
