from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(x: T.Buffer((64, 100), "float32"), y: T.Buffer((64, 100), "float32")):
    with T.sblock("root"):
        t = T.sblock_alloc_buffer((64, 100), "float32")
        for i, j in T.grid(64, 100):
            with T.sblock("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                t[vi, vj] = x[vi, vj] * T.float32(2)
        for i, j in T.grid(64, 100):
            with T.sblock("add"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = t[vi, vj] + T.float32(1)
