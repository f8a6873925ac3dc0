from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def transform_params(params: R.Tuple(R.Tensor((4, 4), "float32"), R.Tensor((4,), "float32"))):
        a = params[0]
        b = params[1]
        t = R.permute_dims(a)
        s = R.add(t, b)
        out = R.add(s, s)
        return out
