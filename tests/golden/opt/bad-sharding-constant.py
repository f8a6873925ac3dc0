from tvm.script import ir as I
from tvm.script import relax as R


# A constant is on every device.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @R.function
    def main(x: R.Tensor((2, 4), "float32")):
        a = R.dist.annotate_sharding(x, device_mesh="mesh[0]", placement="S[1]")
        b = R.add(a, R.const([1.0, 2.0, 3.0, 4.0], "float32"))
        return b
