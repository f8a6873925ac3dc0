# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def numbers(one: T.Buffer((T.int64(1),), "float32"), w: T.Buffer((T.int64(70), T.int64(60)), "float32")):
        for i, j in T.grid(T.int64(70), T.int64(60)):
            w[i, j] = one[0] + T.Cast("float32", i + j)

    @R.function
    def main(x: R.Tensor((5, 70), dtype="float32")):
        cls = Module
        with R.dataflow():
            w = R.call_tir(cls.numbers, (R.const([1], "float32"),), out_sinfo=R.Tensor((70, 60), dtype="float32"))
            gv = R.matmul(x, w)
            R.output(gv)
        return gv
