# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        y = R.call_packed("my.missing", x, R.str("hi"), R.prim_value(3), R.dtype("int8"), R.shape([1, 2]), (x, x), sinfo_args=(R.Object,))
        return y
