# A pointer is no number, and a number no pointer.
@T.prim_func
def main(A: T.Buffer((4,), "handle"), B: T.Buffer((4,), "float32"), p: T.handle):
    A[0] = 4
    B[0] = p
    B[1] = T.Cast("float32", p)
    T.evaluate(T.int64(0).astype("handle"))
