@T.prim_func(s_tir=True)
def main(p: T.handle("float32", "global"), n: T.int32):
    A = T.decl_buffer((4, 8), data=p, elem_offset=n)
    B = A.view(32)
    B[0] = A[0, 1]
