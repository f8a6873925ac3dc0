# from tvm.script import ir as I
# from tvm.script import relax as R

# No kernel is made of a transposed convolution with its channels last: what is before it is moved back.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 16, 16), dtype="float32"), w0: R.Tensor((32, 3, 3, 3), dtype="float32"), w1: R.Tensor((32, 32, 3, 3), dtype="float32"), w2: R.Tensor((4, 32, 1, 1), dtype="float32"), w3: R.Tensor((4, 2, 2, 2), dtype="float32")) -> R.Tensor((1, 2, 32, 32), dtype="float32"):
        with R.dataflow():
            a = R.nn.conv2d(x, w0, padding=[1, 1, 1, 1])
            b = R.nn.conv2d(a, w1, padding=[1, 1, 1, 1])
            c = R.nn.conv2d(b, w2)
            gv = R.nn.conv2d_transpose(c, w3, strides=[2, 2])
            R.output(gv)
        return gv
