@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32) -> T.int32:
        for i in T.parallel(n):
            if i == 3:
                return i
        return 0
