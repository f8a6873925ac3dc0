# What a call is refused for may be the annotation of its operand.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32")) -> R.Tensor((4, 8), "float32"):
        y: R.Tensor((8, 4), "float32") = R.exp(x)
        w = R.negative(x)
        with R.dataflow():
            z = R.matmul(y, y)
            v = R.matmul(w, w)
            R.output(z)
        return z
