from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


# A kernel for all devices is for none of them yet.
@I.ir_module
class Module:
    I.module_global_infos({"mesh": [R.device_mesh((2,), I.Range(0, 2)), R.device_mesh((1,), I.Range(4, 5))]})
    @T.prim_func(private=True, s_tir=True)
    def matmul(A: T.Buffer((128, 64), "float32"), B: T.Buffer((64, 32), "float32"), C: T.Buffer((128, 32), "float32")):
        for i, j, k in T.grid(128, 32, 64):
            with T.sblock("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @R.function
    def main(x: R.DTensor((128, 64), "float32", "mesh[0]", "R"), w: R.DTensor((64, 32), "float32", "mesh[0]", "R")):
        cls = Module
        y = R.dist.call_tir(cls.matmul, (x, w), out_sinfo=R.DTensor((128, 32), "float32", "mesh[0]", "R"))
        return y
