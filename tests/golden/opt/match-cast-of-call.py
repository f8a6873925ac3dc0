from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


# A call may stand in a match_cast.
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "int64")):
        a, b, c, d = T.int64(), T.int64(), T.int64(), T.int64()
        s = R.match_cast(R.tensor_to_shape(R.add(x, x)), R.Shape([a, b, c, d]))
        return s
