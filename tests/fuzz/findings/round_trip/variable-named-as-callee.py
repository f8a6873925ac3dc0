# The callee is a function of another module; a variable after it has its name.
@T.prim_func(private=True, s_tir=True)
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.sblock("double"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi])
            T.writes(B[vi])
            twice(A[vi])
            twice: T.let[T.float32] = A[vi] + A[vi]
            B[vi] = twice
