from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("a", "b", "c"), dtype="float32"), w: R.Tensor(("b * c", 4), dtype="float32")) -> R.Tensor(("a * 2", 2), dtype="float32"):
        a = T.int64()
        b = T.int64()
        c = T.int64()
        f = R.flatten(x)
        y = R.reshape(f, R.shape([a, b * c]))
        z = R.matmul(y, w)
        q = R.reshape(z, R.shape([a * 2, 2]))
        u = R.strided_slice(q, axes=[0], begin=[0], end=[a * 2])
        v = R.nn.softmax(u, axis=-1)
        return R.multiply(q, v)
