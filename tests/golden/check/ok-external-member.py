# Nothing is known of what an external member gives: its call may have the type that is written.
@I.ir_module
class Module:
    outside = R.ExternFunc("outside")

    @R.function
    def main(x: R.Tensor) -> R.Tensor:
        cls = Module
        y: R.Tensor = cls.outside(x)
        return y
