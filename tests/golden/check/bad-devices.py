@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda")]})

    @R.function
    def main(x: R.Tensor((2,), "float32", "llvm"), y: R.Tensor((2,), "float32", "cuda")) -> R.Object:
        z = R.add(x, y)
        return z
