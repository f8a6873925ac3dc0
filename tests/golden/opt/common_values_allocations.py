from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
        b = R.builtin.alloc_tensor(R.shape([4]), "float32", 0)
        return (a, b)
