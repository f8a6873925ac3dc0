from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32"), s: R.Shape(ndim=2), y: R.Tensor(ndim=1, dtype="float32")) -> R.Tuple(R.Tensor(ndim=2, dtype="float32"), R.Tensor(ndim=2, dtype="float32"), R.Tensor(ndim=1, dtype="float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.permute_dims(a)
            c = R.reshape(b, s)
            d = R.multiply(c, c)
            e = R.concat((y, R.flatten(d)), axis=0)
            f = R.cumsum(e, axis=0)
            R.output(a, d, f)
        return (a, d, f)
