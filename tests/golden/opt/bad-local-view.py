from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


# A sum over neighbours needs what another device has.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @T.prim_func(private=True, s_tir=True)
    def smooth(A: T.Buffer((130,), "float32"), B: T.Buffer((128,), "float32")):
        for i in range(128):
            with T.sblock("smooth"):
                vi = T.axis.spatial(128, i)
                B[vi] = A[vi] + A[vi + 2]

    @R.function
    def main(x: R.DTensor((130,), "float32", "mesh[0]", "S[0]")):
        cls = Module
        y = R.dist.call_tir(cls.smooth, (x,), out_sinfo=R.DTensor((128,), "float32", "mesh[0]", "S[0]"))
        return y
