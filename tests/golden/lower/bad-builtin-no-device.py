# No attribute says which device the workspace comes from.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32):
        T.func_attr({"target": T.target({"kind": "llvm"})})
        part = T.alloc_buffer((n,))
        part[0] = T.float32(1.0)
