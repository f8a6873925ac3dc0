# Parts on a device and on the processor: copies between them are calls that one sees.
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("opencl", 0, "global"), I.vdevice("llvm", 0, "global")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32", "llvm:0"):
        with R.dataflow():
            a = R.hint_on_device(x, R.device(4, 0))
            b = R.hint_on_device(y, R.device(4, 0))
            s = R.add(a, b)
            u = R.multiply(s, s)
            v = R.to_vdevice(u, "llvm:0")
            w = R.negative(v)
            R.output(w)
        return w
