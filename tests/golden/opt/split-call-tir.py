from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

# The product goes to the library, what follows it becomes a kernel; the kernel that is a product alone goes as a whole.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def dense(x: T.Buffer((16, 8), "float32"), w: T.Buffer((8, 4), "float32"), y: T.Buffer((16, 4), "float32")):
        for i, j, k in T.grid(16, 4, 8):
            with T.sblock("dense"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * w[vk, vj]

    @T.prim_func(private=True, s_tir=True)
    def dense_relu(x: T.Buffer((16, 8), "float32"), w: T.Buffer((8, 4), "float32"), y: T.Buffer((16, 4), "float32")):
        z = T.sblock_alloc_buffer((16, 4), "float32")
        for i, j, k in T.grid(16, 4, 8):
            with T.sblock("dense"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    z[vi, vj] = T.float32(0)
                z[vi, vj] = z[vi, vj] + x[vi, vk] * w[vk, vj]
        for i, j in T.grid(16, 4):
            with T.sblock("relu"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = T.max(z[vi, vj], T.float32(0))

    @R.function
    def main(x: R.Tensor((16, 8), "float32"), w: R.Tensor((8, 4), "float32")):
        cls = Module
        a = R.call_tir(cls.dense, (x, w), out_sinfo=R.Tensor((16, 4), "float32"))
        b = R.call_tir(cls.dense_relu, (x, w), out_sinfo=R.Tensor((16, 4), "float32"))
        return (a, b)
