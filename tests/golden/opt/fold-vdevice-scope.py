from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global.texture-weight"), I.vdevice("opencl", 0, "global")]})

    @T.prim_func(private=True, s_tir=True)
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0})
        for i in range(4):
            with T.sblock("copy"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32", "opencl:1:global")):
        cls = Module
        with R.dataflow():
            once = R.call_tir(cls.copy, (x,), out_sinfo=R.Tensor((4,), "float32", "opencl:0:global.texture-weight"))
            a = R.to_vdevice(once, "opencl:1:global")
            twice = R.call_tir(cls.copy, (a,), out_sinfo=R.Tensor((4,), "float32", "opencl:0:global.texture-weight"))
            b = R.to_vdevice(twice, "opencl:1:global")
            c = R.call_tir(cls.copy, (twice,), out_sinfo=R.Tensor((4,), "float32", "opencl:0:global.texture-weight"))
            gv = (b, c)
            R.output(gv)
        return gv
