from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def first(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), b: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 7})
        with R.dataflow():
            t = R.permute_dims(w)
            zeros = R.zeros(R.shape([4]), "float32")
            bias = R.add(b, zeros)
            y = R.matmul(x, t)
            gv = R.add(y, bias)
            R.output(gv)
        return gv

    @R.function
    def second(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32")):
        R.func_attr({"num_input": 7})
        with R.dataflow():
            t = R.permute_dims(w)
            gv = R.matmul(x, t)
            R.output(gv)
        return gv
