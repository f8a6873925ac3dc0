from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), more: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.again(x, more)
        return y

    @R.function(private=True)
    def again(x: R.Tensor((4,), "float32"), more: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
        cls = Module
        if more:
            a = R.exp(x)
            y = cls.again(a, more)
        else:
            y = x
        return y
