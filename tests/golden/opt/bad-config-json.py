from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n"), "float32")) -> R.Tensor((2, "n"), "float32"):
        y = R.nn.relu(x)
        return y
