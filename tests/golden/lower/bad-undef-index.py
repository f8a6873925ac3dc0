# No place is undefined.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((8,), "int32")):
    a[T.undef()] = 1
    a[0] = a[T.undef()]
    T.evaluate(T.undef())
