from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w1: R.Tensor((4,), "float32"), w2: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        a = R.add(x, w1)
        b = R.add(a, w1)
        c = R.multiply(b, w2)
        return (b, c)
