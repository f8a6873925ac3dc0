from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), i: R.Tensor((4,), dtype="int64"), v: R.Tensor((3,), dtype="float32")):
        return R.index_put(x, (i, i), v)
