# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(data: R.Tensor((1, 3, 16, 16), dtype="float32"), p_0: R.Tensor((8, 3, 3, 3), dtype="float32"), p_1: R.Tensor((8,), dtype="float32"), p_2: R.Tensor((8,), dtype="float32"), p_3: R.Tensor((8,), dtype="float32"), p_4: R.Tensor((8,), dtype="float32")) -> R.Tensor((1, 8, 16, 16), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 8, 16, 16), dtype="float32") = R.nn.conv2d(data, p_0, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv1: R.Tuple(R.Tensor((1, 8, 16, 16), dtype="float32"), R.Tensor((8,), dtype="float32"), R.Tensor((8,), dtype="float32")) = R.nn.batch_norm(lv, p_1, p_2, p_3, p_4, axis=1, epsilon=1.0000000000000001e-05, center=True, scale=True, momentum=0.10000000000000001, training=False)
            lv2: R.Tensor((1, 8, 16, 16), dtype="float32") = lv1[0]
            gv: R.Tensor((1, 8, 16, 16), dtype="float32") = R.nn.relu(lv2)
            R.output(gv)
        return gv
