# A function within a function has no heap for its shapes: LambdaLift has to run before.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        R.func_attr({"relax.force_pure": True})
        n = T.int64()

        @R.function
        def inner(y: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
            R.func_attr({"relax.force_pure": True})
            m = T.int64()
            return y

        z = inner(x)
        return z
