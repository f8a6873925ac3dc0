from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), k: R.Prim(value="k"), f: R.Prim("float32"), s: R.Shape(["a", "b"])) -> R.Tuple(R.Tensor(ndim=2, dtype="float32"), R.Prim("int64"), R.Tensor((), dtype="int64"), R.Shape(ndim=2)):
        n = T.int64()
        k = T.int64()
        a = T.int64()
        b = T.int64()
        y = R.broadcast_to(x, R.shape([k, n]))
        z = R.full(R.shape([a * b, n]), R.const(2.0, "float32"), dtype="float32")
        w = R.concat((y, z), axis=0)
        p = R.prim_value(k * n + a)
        t = R.full(R.shape([]), R.const(4, "int64"), dtype="int64")
        return (w, p, t, R.shape([a + k, b]))
