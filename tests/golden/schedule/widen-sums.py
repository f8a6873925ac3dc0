from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((4, 8), "float16"), v: T.Buffer((8,), "float16"), x: T.Buffer((4, 8), "bfloat16"), w: T.Buffer((4, 8), "float32"), y: T.Buffer((4,), "float16"), m: T.Buffer((4,), "float16"), z: T.Buffer((4,), "float32"), s: T.Buffer((4,), "bfloat16")):
        with T.sblock("root"):
            for i, k in T.grid(4, 8):
                with T.sblock("product"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        y[vi] = T.float16(0)
                    y[vi] = y[vi] + v[vk] * a[vi, vk]
            for i, k in T.grid(4, 8):
                with T.sblock("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        s[vi] = T.bfloat16(1)
                    s[vi] = s[vi] + x[vi, vk]
            for i, k in T.grid(4, 8):
                with T.sblock("largest"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        m[vi] = T.min_value("float16")
                    m[vi] = T.max(m[vi], a[vi, vk])
            for i, k in T.grid(4, 8):
                with T.sblock("wide"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        z[vi] = T.float32(0)
                    z[vi] = z[vi] + w[vi, vk]
