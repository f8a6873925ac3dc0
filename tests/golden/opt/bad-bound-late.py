from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), w: R.Tensor(("n", 2), "float32")) -> R.Tensor(("n", 2), "float32"):
        return R.add(x, w)
