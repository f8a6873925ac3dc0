# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, 28, 28), dtype="float32"), p_0: R.Tensor((784, 128), dtype="float32"), p_1: R.Tensor((128,), dtype="float32"), p_2: R.Tensor((128, 10), dtype="float32"), p_3: R.Tensor((10,), dtype="float32")) -> R.Tensor((1, 10), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv: R.Tensor((1, 784), dtype="float32") = R.reshape(x, R.shape([1, 784]))
            lv1: R.Tensor((1, 128), dtype="float32") = R.matmul(lv, p_0, out_dtype="void")
            lv2: R.Tensor((1, 128), dtype="float32") = R.add(lv1, p_1)
            lv3: R.Tensor((1, 128), dtype="float32") = R.nn.relu(lv2)
            lv4: R.Tensor((1, 10), dtype="float32") = R.matmul(lv3, p_2, out_dtype="void")
            lv5: R.Tensor((1, 10), dtype="float32") = R.add(lv4, p_3)
            gv: R.Tensor((1, 10), dtype="float32") = R.nn.softmax(lv5, axis=-1)
            R.output(gv)
        return gv
