# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 8), dtype="float32"), w_in: R.Tensor((8, 8), dtype="float32"), w_out: R.Tensor((8, 4), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            projected: R.Tensor((2, 8), dtype="float32") = R.matmul(x, w_in, out_dtype="void")
            active: R.Tensor((2, 8), dtype="float32") = R.nn.relu(projected)
            gv: R.Tensor((2, 4), dtype="float32") = R.matmul(active, w_out, out_dtype="void")
            R.output(gv)
        return gv
