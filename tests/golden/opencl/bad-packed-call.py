from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:

    @T.prim_func(s_tir=True)
    def prints(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        y[0] = x[0]
        T.evaluate(T.call_packed("vm.builtin.print", 1))
