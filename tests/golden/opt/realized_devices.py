from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0)]})

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = R.hint_on_device(x, R.device(device_type=1, index=0))
            b = R.exp(a)
            c = R.hint_on_device(b, R.device(device_type=2, index=0))
            d = R.add(c, y)
            R.output(d)
        return d
