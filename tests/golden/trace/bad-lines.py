from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(x: T.Buffer((6, 10), "float32"), y: T.Buffer((6,), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((6, 10), "float32")
        for i, j in T.grid(6, 10):
            with T.sblock("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = x[vi, vj] * T.float32(2)
        for i, k in T.grid(6, 10):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    y[vi] = T.float32(0)
                y[vi] = y[vi] + t[vi, vk]
