@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    x = T.local_scalar("handle")
    A[0] = T.float32(0)
