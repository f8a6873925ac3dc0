# An annotation is the StructInfo of a call, unless arguments nested in the call had to be bound first.
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0), I.vdevice("metal", 0)]})

    @R.function
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor("float32", ndim=2), v: R.Tensor((4,), "float32", "vdevice:2")):
        n = T.int64()
        lv = R.match_cast(y, R.Tensor((n, 4), "float32"))
        a: R.Tensor((8, 4), "float32") = R.concat((lv, lv), axis=0)
        b: R.Tensor = R.nn.relu(R.nn.relu(x))
        c: R.Tensor((4,), "float32") = R.strided_slice(v, [R.prim_value(0)], [R.prim_value(0)], [R.prim_value(n)])
        return (a, b, c)
