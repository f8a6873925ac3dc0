from tvm.script import ir as I
from tvm.script import relax as R

# The sum and the relu would be one function, and the two names between them need its result and are needed by it.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            positive = R.nn.relu(x)
            once = positive
            twice = once
            out = R.add(twice, x)
            R.output(out)
        return out
