@I.ir_module
class Module:
    @T.prim_func
    def main(i: T.int32) -> i:
        return i

    @T.prim_func
    def other(i: T.int32) -> 5:
        return i
