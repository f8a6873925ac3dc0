from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 0), dtype="float32"), u: R.Tensor((1, 1), dtype="float32")):
        return R.multinomial_from_uniform(x, u, R.const([[0]], "int64"))
