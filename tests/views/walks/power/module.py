# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1024,), dtype="float32")) -> R.Tensor((1024,), dtype="float32"):
        with R.dataflow():
            gv: R.Tensor((1024,), dtype="float32") = R.power(x, R.const(2.0, "float32"))
            R.output(gv)
        return gv
