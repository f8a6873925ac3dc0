from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((3, 4), dtype="float32"), y: R.Tensor((3, 4), dtype="float32")) -> R.Tuple(R.Tensor((3, 4), dtype="bfloat16"), R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 4), dtype="bool")):
        a = R.astype(x, dtype="bfloat16")
        b = R.astype(y, dtype="bfloat16")
        c = R.add(a, b)
        d = R.maximum(c, a)
        e = R.astype(d, dtype="float32")
        g = R.greater(a, b)
        return (c, e, g)
