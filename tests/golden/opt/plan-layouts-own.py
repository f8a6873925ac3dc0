# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 16, 12, 12), dtype="float32"), w: R.Tensor((16, 16, 1, 1), dtype="float32"), s: R.Tensor((16,), dtype="float32")):
        with R.dataflow():
            a = R.quantize(x, s, R.const(0, "int8"), axis=1, out_dtype="int8")
            a1 = R.dequantize(a, s, R.const(0, "int8"), axis=1, out_dtype="float32")
            c0 = R.nn.conv2d(a1, w)
            p = R.nn.pad(c0, (0, 0, 0, 0, 1, 2, 3, 4), pad_mode="reflect")
            c1 = R.nn.conv2d(p, w)
            c2 = R.nn.conv2d(c1, w)
            c3 = R.nn.conv2d(c2, w)
            c4 = R.nn.conv2d(c3, w)
            c5 = R.nn.conv2d(c4, w)
            c6 = R.nn.conv2d(c5, w)
            c7 = R.nn.conv2d(c6, w)
            c8 = R.nn.conv2d(c7, w)
            c9 = R.nn.conv2d(c8, w)
            c10 = R.nn.conv2d(c9, w)
            c11 = R.nn.conv2d(c10, w)
            c12 = R.nn.conv2d(c11, w)
            c13 = R.nn.conv2d(c12, w)
            R.output(c13)
        return c13
