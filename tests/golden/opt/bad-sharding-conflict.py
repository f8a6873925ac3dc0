from tvm.script import ir as I
from tvm.script import relax as R


# The two annotations reach the factors of one sum over different dimensions.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @R.function
    def main(x: R.Tensor((128, 128), "float32"), y: R.Tensor((128, 128), "float32")):
        a = R.dist.annotate_sharding(x, device_mesh="mesh[0]", placement="S[0]")
        b = R.dist.annotate_sharding(y, device_mesh="mesh[0]", placement="S[1]")
        c = R.add(a, b)
        return c
