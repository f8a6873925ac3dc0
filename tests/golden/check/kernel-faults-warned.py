from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func
    def outside(A: T.Buffer((4, 8), "float32"), I: T.Buffer((4,), "int32"), C: T.Buffer((4, 8), "float32")):
        for a, b in T.grid(5, 8):
            C[a, b] = A[0, b]
        for a in range(4):
            C[a, 0] = A[a, 8]
        # What depends on data, or stands behind a condition, only a run can tell.
        for a in range(8):
            if a < 4:
                C[a, 1] = A[I[a], 1]

    @T.prim_func
    def pointer(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        p: T.let[T.handle("float32", "global")] = T.reinterpret("handle", T.uint64(4096))
        V = T.decl_buffer((4,), "float32", data=p)
        C[0] = V[0]

    @T.prim_func
    def calls(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        C[0] = T.call_pure_extern("float32", "getenv", "HOME")
