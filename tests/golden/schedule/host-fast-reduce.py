# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((200003,), dtype="float32")) -> R.Tensor((), dtype="float32"):
        with R.dataflow():
            gv = R.sum(x)
            R.output(gv)
        return gv
