from tvm.script import ir as I
from tvm.script import relax as R


# A softmax over the divided dimension gives the whole, which is divided again where it is annotated so.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @R.function
    def main(x: R.Tensor((128, 128), "float32"), w: R.Tensor((128, 128), "float32")):
        a = R.dist.annotate_sharding(x, device_mesh="mesh[0]", placement="S[1]")
        b = R.nn.softmax(a, axis=1)
        c = R.dist.annotate_sharding(b, device_mesh="mesh[0]", placement="S[1]")
        d = R.matmul(c, w)
        return d
