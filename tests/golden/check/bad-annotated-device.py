from tvm.script import ir as I, relax as R


@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32", "llvm")) -> R.Tensor((2, 3), "float32"):
        y: R.Tensor((2, 3), "float32", "cuda") = R.add(x, x)
        return y
