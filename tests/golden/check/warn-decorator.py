@register("dialect")
@I.ir_module
class Module:
    @os.system("id")
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return x

    @cache
    @T.prim_func(s_tir=True)
    def kernel(A: T.Buffer((4,), "float32")):
        A[0] = T.float32(0)
