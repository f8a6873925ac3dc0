from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 2), dtype="float32")) -> R.Tensor(("n", 2), dtype="float32"):
        n = T.int64()
        y = R.call_dps_packed("a.function.of.the.user", (x,), out_sinfo=R.Tensor((n, 2), dtype="float32"))
        return y
