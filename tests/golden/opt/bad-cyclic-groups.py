from tvm.script import ir as I
from tvm.script import relax as R

# The sum and the relu would be one function, and the exp between them needs its result and is needed by it.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            positive = R.nn.relu(x)
            between = R.exp(positive)
            out = R.add(positive, between)
            R.output(out)
        return out
