from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.Buffer((2, 5), "float32"), b: T.Buffer((5,), "float32"), c: T.Buffer((2, 5), "float32")):
    for i in T.vectorized(10):
        c[i // 5, i % 5] = c[i // 5, i % 5] + a[i // 5, 0] * b[i % 5]
