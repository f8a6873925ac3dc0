from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32")):
        # outside of dataflow blocks operators stay
        a = R.add(R.const(1.0, "float32"), R.const(2.0, "float32"))
        return R.add(x, a)
