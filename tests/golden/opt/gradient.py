from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32"), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((2, 4), "float32")), unused: R.Tensor((5,), "float32")):
        with R.dataflow():
            a = R.matmul(x, R.permute_dims(R.permute_dims(w)))
            b = t[0]
            c = R.nn.relu(R.add(a, b))
            d = R.concat((c, t[1]), axis=0)
            e = R.nn.softmax(d, axis=1)
            gv = R.mean(R.power(e, R.const(2, "float32")))
            R.output(gv)
        return gv
