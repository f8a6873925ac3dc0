# Storing nothing is no store; a variable that is nothing goes with it.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((8,), "int32")):
    a[0] = T.undef()
    x: T.let[T.int32] = T.undef()
    a[1] = x + a[2]
    a[3] = 5
