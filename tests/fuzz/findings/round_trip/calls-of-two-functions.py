from tvm.script import ir as I, tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main() -> T.int32:
        return Module.twice(21)

    @T.prim_func(s_tir=True)
    def twice(i: T.int32) -> T.int32:
        if i > 100:
            return Module.main()
        return i * 2
