from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tuple(R.Tensor((20, 10, 5), "float32"), R.Tensor((20, 10, 5), "float32")), axes: R.Tensor((3,), "int64")
    ):
        with R.dataflow():
            first = x[0]
            one = R.add(first, R.const(1, "float32"))
            half = R.multiply(one, R.const(0.5, "float32"))
            begin = R.multiply(axes, R.const(0, "int64"))
            strides = R.add(begin, R.const(1, "int64"))
            end = R.add(begin, R.const(3, "int64"))
            part = R.dynamic_strided_slice(half, begin, end, strides)
            R.output(part)
        return part
