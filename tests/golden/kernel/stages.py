# A fused kernel in its stages; what is no kernel, or none any more, is refused.
#

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((20, 9), dtype="float32"), w: R.Tensor((9, 37), dtype="float32"), b: R.Tensor((37,), dtype="float32")) -> R.Tensor((20, 37), dtype="float32"):
        with R.dataflow():
            lv = R.matmul(x, w)
            lv1 = R.add(lv, b)
            gv = R.nn.relu(lv1)
            R.output(gv)
        return gv
