from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, 4, 4), "float32"), weight: R.Tensor((1, 1, 1, 1), "float32"), mean: R.Tensor((1,), "float32")):
        with R.dataflow():
            a = R.nn.conv2d(x, R.const([[[[2.0]]]], "float32"))
            b = R.nn.batch_norm(a, R.const([3.0], "float32"), R.const([1.0], "float32"), R.const([0.5], "float32"), R.const([4.0], "float32"), axis=1)
            folded = b[0]
            c = R.nn.conv2d(folded, weight)
            d = R.nn.batch_norm(c, R.const([3.0], "float32"), R.const([1.0], "float32"), mean, R.const([4.0], "float32"), axis=1)
            kept = d[0]
            e = R.nn.batch_norm(kept, R.const([3.0], "float32"), R.const([1.0], "float32"), R.const([0.5], "float32"), R.const([4.0], "float32"), axis=1)
            gv = e[0]
            R.output(gv)
        return gv
