from tvm.script import ir as I, relax as R

@I.ir_module
class Module:

    @R.function
    def main(q: R.Tensor((1, 2, 1, 4), dtype="bool")) -> R.Tensor((1, 2, 1, 4), dtype="bool"):
        a = R.nn.attention(q, q, q)
        return a
