@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            y = Module.other(x)
            R.output(y)
        return y

    @R.function(private=True)
    def other(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = Module.main(x)
        return y
