from tvm.script import ir as I, relax as R

@I.ir_module
class Module:

    @R.function
    def main(g: R.Tensor((), dtype="float32"), p: R.Tensor((4,), dtype="float32"), t: R.Tensor((2, 3), dtype="int32")) -> R.Tensor((4,), dtype="float32"):
        d = R.grad.nll_loss_backward(g, p, t)
        return d
