# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((5, 8), dtype="float32"), w: R.Tensor((8, 3), dtype="float32")) -> R.Tensor((5, 3), dtype="float32"):
        moved: R.Tensor((5, 8), dtype="float32") = R.add(x, R.const(0.25, "float32"))
        scaled: R.Tensor((5, 3), dtype="float32") = R.matmul(moved, w, out_dtype="void")
        active: R.Tensor((5, 3), dtype="float32") = R.nn.relu(scaled)
        return active
