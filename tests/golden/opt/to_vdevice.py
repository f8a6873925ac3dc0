@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice({"kind": "cuda"}, 1, "global")]})

    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32", "cuda:0"):
        R.func_attr({"relax.force_pure": True})
        y: R.Tensor((3,), "float32", "cuda:0") = R.to_vdevice(x, dst_vdevice="cuda:0")
        return y
