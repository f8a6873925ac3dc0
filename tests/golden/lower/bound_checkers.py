@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.handle("float32", "global"), b: T.handle("float32", "global"), n: T.int32):
        A = T.decl_buffer((n,), data=a)
        B = T.decl_buffer((n,), data=b)
        T.attr(a, "buffer_bound", T.tvm_tuple(n))
        T.attr(b, "buffer_bound", T.tvm_tuple(n))
        for i in range(n):
            B[i] = A[i + 1]
            B[i] = T.if_then_else(i < n - 1, A[i + 1], T.float32(0))
