@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def kernel(A: Buffer((8,), "float32")):
        A[0] = T.float32(1)

    @T.prim_func(s_tir=True)
    def width(A: T.Buffer((8,), "int64")):
        A[0] = T.int46(1)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((), "float32"):
        y = R.sum(x, keepdims=false)
        return y

    @R.function
    def space(x: R.Tensor((4,), "float32")) -> R.Object:
        y = memory.ensure_zero_offset(x)
        return y

    @T.prim_func(s_tir=True)
    def comma(a: T.handle):
        A = T.match_buffer(a (8,), "float32")
        A[0] = T.float32(1)
