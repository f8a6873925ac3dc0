from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(ndim=2, dtype="float32"):
        n = T.int64()
        if c:
            t = (R.reshape(x, R.shape([2, n])), R.exp(x))
        else:
            t = (R.concat((x, x), axis=0), R.reshape(x, R.shape([n * 2, 1])))
        a = t[0]
        b = t[1]
        d = R.matmul(R.permute_dims(a), R.reshape(a, R.shape_of(a)))
        e = R.sum(b, axis=[0], keepdims=True)
        f = R.nn.softmax(d, axis=-1)
        return f
