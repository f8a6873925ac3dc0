# An operator whose operands lie on different devices has no device of its own; an annotation may say one.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda")]})

    @R.function
    def main(x: R.Tensor((2, 2), "float32", "llvm"), y: R.Tensor((2, 2), "float32", "cuda")) -> R.Object:
        z = R.matmul(x, y)
        w: R.Tensor((2, 2), "float32", "cuda") = R.matmul(x, y)
        return w
