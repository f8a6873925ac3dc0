@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i])
            A[vi] = T.float32(0)
