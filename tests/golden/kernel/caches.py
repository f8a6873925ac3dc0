# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((256, 1024), dtype="float32"), y: R.Tensor((1024, 2048), dtype="float32")):
        with R.dataflow():
            lv = R.matmul(x, y)
            R.output(lv)
        return lv
