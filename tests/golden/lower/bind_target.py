# The helper is called by the host and by the device: it becomes two functions.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def helper(a: T.handle("float32", "global"), i: T.int32):
        A = T.decl_buffer((16,), data=a)
        A[i] = A[i] * T.float32(2)

    @T.prim_func(private=True, s_tir=True)
    def unused(n: T.int32):
        T.evaluate(n)

    @T.prim_func(private=True, s_tir=True)
    def of_host(n: T.int32):
        T.func_attr({"tirx.is_host_func": True})
        T.evaluate(n)

    @T.prim_func(s_tir=True)
    def bound(n: T.int32):
        T.func_attr({"target": T.target("opencl")})
        T.evaluate(n)

    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32")):
        Module.helper(A.data, 0)
        for i in T.thread_binding(16, thread="threadIdx.x"):
            Module.helper(A.data, i)
