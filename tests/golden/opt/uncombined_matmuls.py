from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 16), "float32")):
        with R.dataflow():
            left = R.matmul(x, w)
            right = R.matmul(x, w, out_dtype="float16")
            out = (left, right)
            R.output(out)
        return out
