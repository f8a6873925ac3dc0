from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((6,), dtype="int64")) -> R.Tensor(ndim=1, dtype="float32"):
        u = R.unique(x, R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(0))
        v = R.astype(u, "float32")
        w = R.add(v, R.const(1.0, "float32"))
        z = R.cumsum(w, axis=0)
        return R.multiply(z, w)
