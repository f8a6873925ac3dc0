# What is wrong for other reasons than a constant that is left out stays wrong.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), dtype="float16")) -> R.Object:
        a = R.add(x, metadata["relax.expr.Constant"][0])
        b = R.matmul(x, x)
        return b
