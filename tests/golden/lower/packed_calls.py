# The exposed function is called as a packed function, the private one as it stands.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def inner(n: T.int32):
        T.evaluate(n)

    @T.prim_func(s_tir=True)
    def outer(n: T.int32):
        Module.inner(n)

    @T.prim_func(s_tir=True)
    def main(n: T.int32):
        Module.outer(n)
