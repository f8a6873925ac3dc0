@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32):
        T.evaluate(n)
