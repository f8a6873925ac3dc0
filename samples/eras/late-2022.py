# Late 2022: R. names, symbolic variables by T.var, match_shape.
import tvm.script
from tvm.script import relax as R, tir as T


@tvm.script.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(None, "float32", ndim=2)):
        n = T.var("int64")
        m = T.var("int64")
        y = R.match_shape(x, (n, m))
        z = R.add(y, y)
        return z
