from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.Buffer((8, 12), "float32"), b: T.Buffer((12, 32), "float32"), c: T.Buffer((8, 32), "float32")):
    with T.sblock("root"):
        for i, j, k in T.grid(8, 32, 12):
            with T.sblock("product"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
