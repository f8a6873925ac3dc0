from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def turned(a: T.Buffer((24, 36), "float32"), b: T.Buffer((36, 24), "float32")):
    with T.sblock("root"):
        for i, j in T.grid(36, 24):
            with T.sblock("turned"):
                vi, vj = T.axis.remap("SS", [i, j])
                b[vi, vj] = a[vj, vi]
