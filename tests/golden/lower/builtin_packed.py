# Arguments of packed calls lie on the stack of their frame; a parallel loop has a frame of its own.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float32"), n: T.int32, p: T.handle):
        T.func_attr({"target": T.target({"kind": "llvm"})})
        T.attr("", "device_id", 0)
        T.call_packed("one", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(8, n), 0, 2, T.float32(0.0), n), p)
        for i in T.parallel(4):
            T.call_cpacked("two", i, T.float32(1.0), "text")
