from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def product(a: T.Buffer((24, 32), "float32"), b: T.Buffer((32, 48), "float32"), c: T.Buffer((24, 48), "float32")):
    with T.sblock("root"):
        for i, j, k in T.grid(24, 48, 32):
            with T.sblock("matmul"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
