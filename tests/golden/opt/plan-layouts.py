# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 16, 16), dtype="float32"), w0: R.Tensor((32, 3, 3, 3), dtype="float32"), w1: R.Tensor((32, 1, 3, 3), dtype="float32"), w2: R.Tensor((64, 32, 1, 1), dtype="float32")) -> R.Tensor((1, 64), dtype="float32"):
        with R.dataflow():
            a = R.clip(R.nn.conv2d(x, w0, padding=[1, 1, 1, 1]), 0, 6)
            b = R.nn.leakyrelu(R.nn.conv2d(a, w1, padding=[1, 1, 1, 1], groups=32), alpha=0.1)
            c = R.nn.conv2d(b, w2)
            gv = R.mean(c, axis=[2, 3])
            R.output(gv)
        return gv

    @R.function
    def few(x: R.Tensor((1, 32, 16, 16), dtype="float32"), w: R.Tensor((32, 32, 3, 3), dtype="float32")) -> R.Tensor((1, 32, 16, 16), dtype="float32"):
        with R.dataflow():
            a = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])
            gv = R.nn.conv2d(a, w, padding=[1, 1, 1, 1])
            R.output(gv)
        return gv

    @R.function
    def none(x: R.Tensor((4, 8), dtype="float32")) -> R.Tensor((8, 4), dtype="float32"):
        with R.dataflow():
            gv = R.permute_dims(x)
            R.output(gv)
        return gv
