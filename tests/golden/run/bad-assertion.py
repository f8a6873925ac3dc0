from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function(pure=False)
    def main(x: R.Tensor((), dtype="bool")) -> R.Tensor((), dtype="bool"):
        y = R.assert_op(x, (R.prim_value(3), x), format="value was {}, not {}")
        return x
