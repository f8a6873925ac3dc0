from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((T.int64(1), T.int64(4), T.int64(4096)), "float16"), w: T.Buffer((T.int64(4096),), "float16"), y: T.Buffer((T.int64(1), T.int64(4), T.int64(4096)), "float16")):
        with T.sblock("root"):
            xf = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(4096)), "float32")
            sq = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(4096)), "float32")
            sm = T.sblock_alloc_buffer((T.int64(1), T.int64(4)), "float32")
            rs = T.sblock_alloc_buffer((T.int64(1), T.int64(4)), "float32")
            no = T.sblock_alloc_buffer((T.int64(1), T.int64(4), T.int64(4096)), "float32")
            for b, i, k in T.grid(T.int64(1), T.int64(4), T.int64(4096)):
                with T.sblock("widen"):
                    vb, vi, vk = T.axis.remap("SSS", [b, i, k])
                    xf[vb, vi, vk] = T.Cast("float32", x[vb, vi, vk])
            for b, i, k in T.grid(T.int64(1), T.int64(4), T.int64(4096)):
                with T.sblock("square"):
                    vb, vi, vk = T.axis.remap("SSS", [b, i, k])
                    sq[vb, vi, vk] = xf[vb, vi, vk] * xf[vb, vi, vk]
            for b, i, k in T.grid(T.int64(1), T.int64(4), T.int64(4096)):
                with T.sblock("sum"):
                    vb, vi, vk = T.axis.remap("SSR", [b, i, k])
                    with T.init():
                        sm[vb, vi] = T.float32(0)
                    sm[vb, vi] = sm[vb, vi] + sq[vb, vi, vk]
            for b, i in T.grid(T.int64(1), T.int64(4)):
                with T.sblock("rsqrt"):
                    vb, vi = T.axis.remap("SS", [b, i])
                    rs[vb, vi] = T.rsqrt(sm[vb, vi] / T.float32(4096))
            for b, i, k in T.grid(T.int64(1), T.int64(4), T.int64(4096)):
                with T.sblock("norm"):
                    vb, vi, vk = T.axis.remap("SSS", [b, i, k])
                    no[vb, vi, vk] = xf[vb, vi, vk] * rs[vb, vi] * T.Cast("float32", w[vk])
            for b, i, k in T.grid(T.int64(1), T.int64(4), T.int64(4096)):
                with T.sblock("narrow"):
                    vb, vi, vk = T.axis.remap("SSS", [b, i, k])
                    y[vb, vi, vk] = T.Cast("float16", no[vb, vi, vk])
