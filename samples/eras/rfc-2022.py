# The text of the founding RFC, early 2022.
import tvm.script
from tvm import relax


@tvm.script.ir_module
class MyIRModule:
    @relax.function
    def main(x: Tensor[(n, 4), "float32"], w: Tensor[(4, 8), "float32"]):
        with relax.dataflow():
            y = relax.matmul(x, w)
            z = relax.nn.relu(y)
            relax.output(z)
        return z
