from tvm.script import ir as I
from tvm.script import relax as R


# The annotation spreads to the weights before it, and to those that the product behind it sums over.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @R.function
    def main(x: R.Tensor((128, 128), "float32"), w: R.Tensor((128, 128), "float32"), v: R.Tensor((128, 128), "float32")):
        a = R.matmul(x, w)
        b = R.add(R.nn.gelu(a), R.const(2.0, "float32"))
        c = R.dist.annotate_sharding(b, device_mesh="mesh[0]", placement="S[1]")
        d = R.matmul(c, v)
        return d
