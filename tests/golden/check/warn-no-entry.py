@I.ir_module
class Module:
    @R.function(private=True)
    def helper(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        return x

    @R.function(private=True)
    def other(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = Module.helper(x)
        return y
