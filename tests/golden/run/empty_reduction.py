# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x0: R.Tensor((0, 3), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        with R.dataflow():
            y = R.sum(x0, axis=[0])
            R.output(y)
        return y
