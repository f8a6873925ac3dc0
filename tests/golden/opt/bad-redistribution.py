from tvm.script import ir as I
from tvm.script import relax as R


# Parts along one axis are not exchanged for parts along another.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @R.function
    def main(x: R.DTensor((128, 128), "float32", "mesh[0]", "S[0]")):
        a = R.dist.redistribute(x, device_mesh="mesh[0]", placement="S[1]")
        return a
