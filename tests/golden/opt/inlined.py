from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        cls = Module
        y = cls.twice(x)
        return y

    @R.function(private=True)
    def twice(a: R.Tensor(("m",), "float32")) -> R.Tensor(("m",), "float32"):
        m = T.int64()
        z = R.zeros(R.shape([m]), "float32")
        b = R.add(a, a)
        return R.add(b, z)
