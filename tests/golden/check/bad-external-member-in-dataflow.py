@I.ir_module
class Module:
    outside = R.ExternFunc("outside")

    @R.function
    def main(x: R.Tensor) -> R.Tensor:
        cls = Module
        with R.dataflow():
            y: R.Tensor = cls.outside(x)
            R.output(y)
        return y
