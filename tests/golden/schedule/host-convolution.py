# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 9, 11), dtype="float32"), w: R.Tensor((20, 3, 3, 3), dtype="float32")) -> R.Tensor((1, 20, 9, 11), dtype="float32"):
        with R.dataflow():
            gv = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])
            R.output(gv)
        return gv
