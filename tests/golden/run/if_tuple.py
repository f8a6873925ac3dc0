# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tuple(R.Tensor((2, 6), dtype="float32"), R.Shape(ndim=2))):
        if c:
            a = R.reshape(x, R.shape([3, 4]))
            sa: R.Shape([3, 4]) = R.shape_of(a)
            y = (a, (x, sa))
        else:
            b = R.reshape(x, R.shape([4, 3]))
            xx = R.negative(x)
            sb: R.Shape([4, 3]) = R.shape_of(b)
            y = (b, (xx, sb))
        return y
