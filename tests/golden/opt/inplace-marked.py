from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            marked = R.grad.start_checkpoint(x)
            # Another name of x, which is not to be written.
            twice = R.multiply(marked, R.const(2, "float32"))
            # The constant stands in the kernel: its first parameter is the one to write.
            rest = R.subtract(R.const(1, "float32"), twice)
            dropped = R.nn.dropout(rest)
            # Nor is rest, which the tuple may hold.
            kept = R.nn.relu(rest)
            gv = R.add(kept, dropped[0])
            R.output(gv)
        return gv
