from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 3), dtype="bool")) -> R.Tensor(ndim=2, dtype="int64"):
        m = T.int64()
        u = R.nonzero(x)
        v = R.match_cast(u, R.Tensor((2, m), dtype="int64"))
        w = R.add(v, R.const(1, "int64"))
        return w
