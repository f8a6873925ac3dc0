# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((5, 70), dtype="float32")) -> R.Tensor((5, 70), dtype="float32"):
        with R.dataflow():
            gv = R.log(x)
            R.output(gv)
        return gv
