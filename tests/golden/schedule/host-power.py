# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((40,), dtype="float32")):
        with R.dataflow():
            lv = R.power(x, R.const(3, "float32"))
            R.output(lv)
        return lv
