from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0)]})

    @R.function
    def main(x: R.Tensor((4,), "float32", "llvm"), y: R.Tensor((4,), "float32", "cuda")):
        with R.dataflow():
            a = R.exp(x)
            b = R.to_vdevice(a, dst_vdevice="cuda:0:global")
            c = R.add(b, y)
            R.output(c)
        return c
