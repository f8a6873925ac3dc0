from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global"), I.vdevice("llvm", 0, "global")]})

    @R.function
    def main(x: R.Tensor((4,), "float32", "opencl:0"), y: R.Tensor((4,), "float32", "llvm:0"), z: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(a)
            c = R.exp(y)
            d = R.exp(z)
            gv = (b, c, d)
            R.output(gv)
        return gv
