from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32")):
    for i in T.serial(16):
        with T.attr(T.iter_var(i, T.Range(0, 16), "DataPar", ""), "pragma_hint", 4):
            A[i] = T.float32(1)
