# Tensors that lie on several devices: the calls stay as they are until LowerDistIR has said what each device computes.
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2))]})

    @R.function
    def main(
        x: R.DTensor((8, 8), "float32", "mesh[0]", "R"), w: R.DTensor((8, 8), "float32", "mesh[0]", "S[1]")
    ) -> R.DTensor((8, 8), "float32", "mesh[0]", "S[1]"):
        lv: R.DTensor((8, 8), "float32", "mesh[0]", "S[1]") = R.matmul(x, w, out_dtype="void")
        lv1: R.DTensor((8, 8), "float32", "mesh[0]", "S[1]") = R.nn.gelu(lv)
        return lv1
