from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 9), "float32"), i: R.Tensor((4,), "int64")):
        s = R.take(w, i, axis=0)
        y = R.matmul(x, s)
        return y
