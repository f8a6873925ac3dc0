# Before v0.25 an assignment binds anew: the sum in the loop is a value of the loop.
@T.prim_func
def f(a: T.handle):
    A = T.match_buffer(a, (4,))
    with T.block("root"):
        s = A[0]
        for i in range(4):
            s = s + A[i]
        A[1] = s
