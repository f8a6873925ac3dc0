from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(q: T.Buffer((2, 6, 5), "float32"), c: T.Buffer((2, 5, 7), "float32"), v: T.Buffer((2, 7, 3), "float32"), y: T.Buffer((2, 3, 6), "float32")):
        with T.sblock("root"):
            t = T.sblock_alloc_buffer((2, 6, 7), "float32")
            h = T.sblock_alloc_buffer((2, 6, 7), "float32")
            m = T.sblock_alloc_buffer((2, 6), "float32")
            e = T.sblock_alloc_buffer((2, 6, 7), "float32")
            s = T.sblock_alloc_buffer((2, 6), "float32")
            w = T.sblock_alloc_buffer((2, 6, 7), "float32")
            o = T.sblock_alloc_buffer((2, 6, 3), "float32")
            for b, i, j, k in T.grid(2, 6, 7, 5):
                with T.sblock("scores"):
                    vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
                    with T.init():
                        t[vb, vi, vj] = T.float32(0)
                    t[vb, vi, vj] = t[vb, vi, vj] + q[vb, vi, vk] * c[vb, vk, vj]
            for b, i, j in T.grid(2, 6, 7):
                with T.sblock("scaled"):
                    vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                    h[vb, vi, vj] = t[vb, vi, vj] * T.float32(0.125)
            for b, i, j in T.grid(2, 6, 7):
                with T.sblock("max"):
                    vb, vi, vj = T.axis.remap("SSR", [b, i, j])
                    with T.init():
                        m[vb, vi] = T.min_value("float32")
                    m[vb, vi] = T.max(m[vb, vi], h[vb, vi, vj])
            for b, i, j in T.grid(2, 6, 7):
                with T.sblock("exp"):
                    vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                    e[vb, vi, vj] = T.exp(h[vb, vi, vj] - m[vb, vi])
            for b, i, j in T.grid(2, 6, 7):
                with T.sblock("sum"):
                    vb, vi, vj = T.axis.remap("SSR", [b, i, j])
                    with T.init():
                        s[vb, vi] = T.float32(0)
                    s[vb, vi] = s[vb, vi] + e[vb, vi, vj]
            for b, i, j in T.grid(2, 6, 7):
                with T.sblock("weights"):
                    vb, vi, vj = T.axis.remap("SSS", [b, i, j])
                    w[vb, vi, vj] = e[vb, vi, vj] / s[vb, vi]
            for b, i, j, k in T.grid(2, 6, 3, 7):
                with T.sblock("weighed"):
                    vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
                    with T.init():
                        o[vb, vi, vj] = T.float32(0)
                    o[vb, vi, vj] = o[vb, vi, vj] + w[vb, vi, vk] * v[vb, vk, vj]
            for b, j, i in T.grid(2, 3, 6):
                with T.sblock("turn"):
                    vb, vj, vi = T.axis.remap("SSS", [b, j, i])
                    y[vb, vj, vi] = o[vb, vi, vj]
