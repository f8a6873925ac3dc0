# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8, 9), dtype="float32")) -> R.Tensor(dtype="float32", ndim=2):
        b = R.full(R.shape([2]), R.const(1, "int64"), dtype="int64")
        e = R.full(R.shape([2]), R.const(-1, "int64"), dtype="int64")
        s = R.full(R.shape([2]), R.const(3, "int64"), dtype="int64")
        y: R.Tensor(dtype="float32", ndim=2) = R.dynamic_strided_slice(x, b, e, s)
        return y
