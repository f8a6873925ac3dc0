@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def fill(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("fill"):
                v = T.axis.spatial(4, i)
                b[v] = a[v]

    @R.function
    def callee(x: R.Tensor((4,), "float32")) -> R.Object:
        return x

    @R.function
    def main(some: R.Tensor((4,)), thing: R.Object, sized: R.Tensor(("n",), "float32")) -> R.Object:
        a = R.call_tir(Module.fill, (some,), out_sinfo=R.Tensor((4,), "float32"))
        c = Module.callee(sized)
        d: R.Tensor((4,), "float32") = R.concat((sized, c))
        e: R.Tensor((5,), "int32") = R.concat((a, a))
        return c
