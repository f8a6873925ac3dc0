# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), dtype="float32"), c: R.Tensor((), dtype="bool")) -> R.Tensor(dtype="float32", ndim=2):
        if c:
            a = R.reshape(x, R.shape([3, 4]))
            y: R.Tensor(dtype="float32", ndim=2) = a
        else:
            b = R.reshape(x, R.shape([4, 3]))
            y: R.Tensor(dtype="float32", ndim=2) = b
        z: R.Tensor(dtype="float32", ndim=2) = R.add(y, R.const(1.0, "float32"))
        return z
