@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "int32")):
    for i in T.unroll(65536):
        for j in T.unroll(65536):
            a[0] = i + j
