from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((5, 4), dtype="float32"), i: R.Tensor((3,), dtype="int64"), m: R.Tensor((5, 4), dtype="bool")) -> R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((5, 4), dtype="float32"), R.Tensor((5,), dtype="int64"), R.Tensor((4, 5), dtype="float32"), R.Tensor((2, 5, 2), dtype="float32"), R.Tensor((5, 4), dtype="float32"), R.Tensor((5, 4), dtype="float32")):
        a = R.take(x, i, axis=0)
        b = R.where(m, x, R.const(0.0, "float32"))
        c = R.argmax(x, axis=1)
        d = R.flip(R.permute_dims(x), axis=1)
        s = R.split(x, 2, axis=1)
        e = R.stack((s[0], s[1]), axis=0)
        f = R.clip(x, -0.5, 0.5)
        g = R.nn.gelu(R.floor_divide(x, R.const(0.25, "float32")))
        return (a, b, c, d, e, f, R.tril(x, 0))
