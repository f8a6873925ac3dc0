from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def rows(x: T.Buffer((T.int64(64), T.int64(3)), "float32"), y: T.Buffer((T.int64(64),), "float32")):
        for i in T.parallel(T.int64(64)):
            for j in range(T.int64(3)):
                with T.sblock("sum"):
                    vi, vj = T.axis.remap("SR", [i, j])
                    with T.init():
                        y[vi] = T.float32(0)
                    y[vi] = y[vi] + x[vi, vj]

    @R.function
    def main(x: R.Tensor((64, 3), dtype="float32")):
        cls = Module
        return R.call_tir(cls.rows, (x,), out_sinfo=R.Tensor((64,), dtype="float32"))
