# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 1030), dtype="float32"), w: R.Tensor((1030, 2050), dtype="float32")) -> R.Tensor((3, 2050), dtype="float32"):
        with R.dataflow():
            gv = R.matmul(x, w)
            R.output(gv)
        return gv
