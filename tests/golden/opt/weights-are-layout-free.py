from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def scale(x: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("scale"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] * w[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.scale, (x, w), out_sinfo=R.Tensor((4,), "float32"))
            b = R.call_tir(cls.scale, (R.const([1.0, 2.0, 3.0, 4.0], "float32"), a), out_sinfo=R.Tensor((4,), "float32"))
            gv = R.call_tir(cls.scale, (b, w), out_sinfo=R.Tensor((4,), "float32"))
            R.output(gv)
        return gv

    @R.function
    def all_are_inputs(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        cls = Module
        gv = R.call_tir(cls.scale, (x, w), out_sinfo=R.Tensor((4,), "float32"))
        return gv
