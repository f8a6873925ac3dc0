# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    # What stands for zero is another number, the borders have it too, and each filter has its own scale.
    @R.function
    def borders(x: R.Tensor((1, 8, 10, 10), dtype="uint8"), w: R.Tensor((6, 8, 3, 3), dtype="int8"), s: R.Tensor((6,), dtype="float32")):
        with R.dataflow():
            lv = R.dequantize(x, R.const(0.5, "float32"), R.const(3, "uint8"), axis=1, out_dtype="float32")
            lv1 = R.dequantize(w, s, R.const(0, "int8"), axis=0, out_dtype="float32")
            gv = R.nn.conv2d(lv, lv1, strides=[2, 2], padding=[1, 1, 1, 1])
            R.output(gv)
        return gv

    @R.function
    def matrices(x: R.Tensor((20, 30), dtype="int8"), w: R.Tensor((30, 40), dtype="int8")):
        with R.dataflow():
            lv = R.dequantize(x, R.const(0.5, "float32"), R.const(0, "int8"), axis=-1, out_dtype="float32")
            lv1 = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int8"), axis=-1, out_dtype="float32")
            gv = R.matmul(lv, lv1)
            R.output(gv)
        return gv

    # Those of one row, of unsigned weights, and of weights whose scales lie along the sums stay.
    @R.function
    def stay(x: R.Tensor((1, 30), dtype="int8"), y: R.Tensor((20, 30), dtype="int8"), w: R.Tensor((30, 40), dtype="int8"), u: R.Tensor((30, 40), dtype="uint8"), s: R.Tensor((30,), dtype="float32")):
        with R.dataflow():
            lv = R.dequantize(x, R.const(0.5, "float32"), R.const(0, "int8"), axis=-1, out_dtype="float32")
            lv1 = R.dequantize(y, R.const(0.5, "float32"), R.const(0, "int8"), axis=-1, out_dtype="float32")
            lv2 = R.dequantize(w, R.const(0.25, "float32"), R.const(0, "int8"), axis=-1, out_dtype="float32")
            lv3 = R.dequantize(u, R.const(0.25, "float32"), R.const(0, "uint8"), axis=-1, out_dtype="float32")
            lv4 = R.dequantize(w, s, R.const(0, "int8"), axis=0, out_dtype="float32")
            lv5 = R.matmul(lv, lv2)
            lv6 = R.matmul(lv1, lv3)
            lv7 = R.matmul(lv1, lv4)
            gv = (lv5, lv6, lv7)
            R.output(gv)
        return gv
