# A shape on the stack belongs to a packed call.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32):
        T.func_attr({"target": T.target({"kind": "llvm"})})
        T.evaluate(T.tvm_stack_make_shape(n))
