from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((16,), "float32")):
        with R.dataflow():
            a = R.layout_transform(x, index_map=lambda i: (i // 4, i % 4))
            b = R.layout_transform(a, index_map=lambda i, j: (i * 4 + j,))
            c = R.add(b, b)
            d = R.layout_transform(c, index_map=lambda i: (i // 4, i % 4))
            gv = R.layout_transform(d, index_map=lambda i, j: (j, i))
            R.output(gv)
        return gv
