@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.bfloat16) -> T.bfloat16:
        return x
