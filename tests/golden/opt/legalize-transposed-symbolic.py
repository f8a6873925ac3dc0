from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", "c", "w"), "float32"), kernel: R.Tensor(("f", "o", "k"), "float32")
    ) -> R.Tensor(("n", "o", "w * 2 + k - 2"), "float32"):
        n, c, w, f, o, k = T.int64(), T.int64(), T.int64(), T.int64(), T.int64(), T.int64()
        gv = R.nn.conv1d_transpose(x, kernel, strides=2)
        return gv
