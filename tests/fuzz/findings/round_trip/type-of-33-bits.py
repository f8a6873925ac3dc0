@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    v = T.SizeVar("v", "int33")
    T.LetStmt(3, var=v)
    A[v] = v
