# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 8), dtype="float32"), flag: R.Tensor((), dtype="bool")) -> R.Tensor((4, 4), dtype="float32"):
        if flag:
            doubled: R.Tensor((2, 8), dtype="float32") = R.add(x, x)
            square: R.Tensor((4, 4), dtype="float32") = R.reshape(doubled, R.shape([4, 4]))
            y: R.Tensor((4, 4), dtype="float32") = square
        else:
            halved: R.Tensor((2, 8), dtype="float32") = R.multiply(x, R.const(0.5, "float32"))
            square_1: R.Tensor((4, 4), dtype="float32") = R.reshape(halved, R.shape([4, 4]))
            y: R.Tensor((4, 4), dtype="float32") = square_1
        return y
