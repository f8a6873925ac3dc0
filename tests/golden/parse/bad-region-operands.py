from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    B[0:5:1] = A[0:5:1] + B[0:5:1]
    B[0:5] = A[0:5] + B[0:5]
