# A declaration without a value is one of v0.25.
@T.prim_func
def f(a: T.handle):
    A = T.match_buffer(a, (4,))
    with T.block("root"):
        x: T.int32
        A[0] = x
