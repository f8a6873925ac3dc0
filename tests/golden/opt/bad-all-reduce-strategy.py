from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float16")):
        y = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float16"), R.prim_value(0), R.str("global"))
        _ = R.call_packed("runtime.disco.allreduce", x, R.shape([0]), R.prim_value(1), y)
        z = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float16"), R.prim_value(0), R.str("global"))
        _1 = R.call_packed("runtime.disco.allreduce", y, R.shape([1]), R.prim_value(1), z)
        return z
