@I.ir_module
class Module:
    def helper(x):
        return x + 1

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x
