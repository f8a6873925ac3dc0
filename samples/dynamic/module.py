# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def f(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n * 4",), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 4), dtype="float32") = R.add(x, y)
            gv: R.Tensor((n * 4,), dtype="float32") = R.reshape(lv, R.shape([n * 4]))
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("n", 4), dtype="float32"), z: R.Tensor(dtype="float32", ndim=2)) -> R.Tuple(R.Tensor(("n * 4",), dtype="float32"), R.Tensor(dtype="float32", ndim=2)):
        n = T.int64()
        m = T.int64()
        cls = Module
        flat: R.Tensor((n * 4,), dtype="float32") = cls.f(x, y)
        z_1: R.Tensor((m, n), dtype="float32") = R.match_cast(z, R.Tensor((m, n), dtype="float32"))
        mixed: R.Tensor((m, 4), dtype="float32") = R.matmul(z_1, x, out_dtype="void")
        scaled: R.Tensor((m, 4), dtype="float32") = R.multiply(mixed, R.const(0.5, "float32"))
        return (flat, scaled)
