# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((5, 8), dtype="float32")) -> R.Tensor((5, 8), dtype="float32"):
        src: R.Tensor((5, 8), dtype="float32") = R.add(x, R.const(0.25, "float32"))
        left: R.Tensor((5, 8), dtype="float32") = R.match_cast(src, R.Tensor((5, 8), dtype="float32"))
        right: R.Tensor((5, 8), dtype="float32") = R.add(x, R.const(0.125, "float32"))
        out: R.Tensor((5, 8), dtype="float32") = R.add(left, right)
        return out
