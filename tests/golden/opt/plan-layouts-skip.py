# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 32, 64, 64), dtype="float32"), w0: R.Tensor((32, 1, 3, 3), dtype="float32"), w1: R.Tensor((256, 32, 1, 1), dtype="float32"), w2: R.Tensor((32, 256, 1, 1), dtype="float32"), w3: R.Tensor((256, 32, 1, 1), dtype="float32"), w4: R.Tensor((32, 256, 1, 1), dtype="float32")) -> R.Tensor((1, 32, 64, 64), dtype="float32"):
        with R.dataflow():
            a = R.nn.conv2d(x, w0, padding=[1, 1, 1, 1], groups=32)
            b = R.nn.gelu(R.nn.conv2d(a, w1))
            c = R.add(x, R.nn.conv2d(b, w2))
            d = R.nn.gelu(R.nn.conv2d(c, w3))
            gv = R.add(c, R.nn.conv2d(d, w4))
            R.output(gv)
        return gv
