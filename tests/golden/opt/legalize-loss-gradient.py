from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(g: R.Tensor((2,), "float32"), x: R.Tensor((2, 3), "float32"), t: R.Tensor((2,), "int64"), w: R.Tensor((3,), "float32")):
        gv = R.grad.nll_loss_backward(g, x, t, w, reduction="none", ignore_index=-1)
        return gv
