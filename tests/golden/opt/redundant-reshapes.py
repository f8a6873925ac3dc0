from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32")):
        with R.dataflow():
            flat = R.reshape(x, R.shape([32]))
            back = R.reshape(flat, R.shape([2, 16]))
            same = R.reshape(back, R.shape([2, 16]))
            out = R.nn.relu(same)
            R.output(out)
        return out
