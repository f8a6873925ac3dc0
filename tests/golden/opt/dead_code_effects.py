from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        said = R.print(x, format="x")
        n = T.int64()
        checked = R.match_cast(x, R.Tensor((n,), "float32"))
        return x
