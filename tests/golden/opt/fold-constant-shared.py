# Two calls lay one weight out alike: what they give is one constant. A small result is made for each call.
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def spread(x: T.Buffer((T.int64(2),), "float32"), y: T.Buffer((T.int64(64), T.int64(32)), "float32")):
        for i, j in T.grid(T.int64(64), T.int64(32)):
            with T.block("spread"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi % T.int64(2)]

    @T.prim_func(private=True)
    def turned(x: T.Buffer((T.int64(2),), "float32"), y: T.Buffer((T.int64(2),), "float32")):
        for i in range(T.int64(2)):
            with T.block("turned"):
                vi = T.axis.spatial(T.int64(2), i)
                y[vi] = x[T.int64(1) - vi]

    @R.function
    def main(x: R.Tensor((64, 32), dtype="float32"), z: R.Tensor((2,), dtype="float32")):
        cls = Module
        with R.dataflow():
            c = R.const([1.0, 2.0], "float32")
            w = R.call_tir(cls.spread, (c,), out_sinfo=R.Tensor((64, 32), dtype="float32"))
            lv = R.add(x, w)
            again = R.call_tir(cls.spread, (c,), out_sinfo=R.Tensor((64, 32), dtype="float32"))
            lv1 = R.multiply(lv, again)
            t = R.call_tir(cls.turned, (c,), out_sinfo=R.Tensor((2,), dtype="float32"))
            t1 = R.call_tir(cls.turned, (c,), out_sinfo=R.Tensor((2,), dtype="float32"))
            lv2 = R.add(z, t)
            lv3 = R.add(lv2, t1)
            out = (lv1, lv3)
            R.output(out)
        return out
