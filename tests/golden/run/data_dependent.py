from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((6,), dtype="int64")) -> R.Tensor(ndim=1, dtype="int64"):
        u = R.unique(x, R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(0))
        m = T.int64()
        v = R.match_cast(u, R.Tensor((m,), dtype="int64"))
        w = R.add(v, v)
        return w
