from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def rows_by_loop(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
    for i in T.serial(4):
        with T.sblock("row"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi, 0:8])
            for j in T.serial(8):
                with T.sblock("item"):
                    vj = T.axis.spatial(8, j)
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, j] + T.float32(1)
