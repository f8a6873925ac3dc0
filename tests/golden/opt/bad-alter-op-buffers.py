from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def relu(x: T.Buffer((14,), "float32"), y: T.Buffer((14,), "float32")):
        T.func_attr({"operator_name": "relax.relu"})
        for i in range(14):
            with T.sblock("relu"):
                vi = T.axis.spatial(14, i)
                y[vi] = T.max(x[vi], T.float32(0))

    @R.function
    def main(x: R.Tensor((14,), "float32")):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((14,), "float32"))
            R.output(gv)
        return gv
