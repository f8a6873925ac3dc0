# Only main can be called from outside.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def helper(n: T.int32):
        T.evaluate(n)

    @T.prim_func(s_tir=True)
    def main(n: T.int32):
        Module.helper(n)
