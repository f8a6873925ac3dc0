@T.prim_func
def main(A: T.Buffer((64,), "float32"), f: T.float32):
    for i in range(f):
        A[0] = T.float32(0)
    for j in T.vectorized(T.Broadcast(1, 4)):
        A[0] = T.float32(0)
    T.evaluate(T.Not(f))
    T.evaluate(T.And(f, f))
