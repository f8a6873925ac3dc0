# Where the arguments come from, before anything runs: zeros, numbers from a seed, sizes of symbols.
from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "int32")):
        return (x, y)
