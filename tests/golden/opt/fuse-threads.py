from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bound(x: T.Buffer((T.int64(8),), "float32"), y: T.Buffer((T.int64(8),), "float32")):
        for t in T.thread_binding(T.int64(8), thread="threadIdx.x"):
            with T.sblock("b"):
                v = T.axis.spatial(T.int64(8), t)
                y[v] = x[v] * T.float32(2)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")):
        cls = Module
        with R.dataflow():
            a = R.add(x, x)
            b = R.call_tir(cls.bound, (a,), out_sinfo=R.Tensor((8,), dtype="float32"))
            c = R.add(b, x)
            d = R.exp(c)
            R.output(d)
        return d
