# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, "n", 8), dtype="float32"), k: R.Tensor((2, 8, "n"), dtype="float32"), v: R.Tensor((2, "n", 20), dtype="float32")):
        with R.dataflow():
            weights = R.nn.softmax(R.matmul(q, k), axis=-1)
            gv = R.matmul(weights, v)
            R.output(gv)
        return gv
