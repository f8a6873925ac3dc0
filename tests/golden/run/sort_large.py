# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main() -> R.Tuple(R.Tensor((3,), dtype="int64"), R.Tensor((3,), dtype="int32")):
        a = R.full(R.shape([1]), R.const(9007199254740993, "int64"), dtype="int64")
        b = R.full(R.shape([1]), R.const(9007199254740992, "int64"), dtype="int64")
        c = R.concat((a, b, a), axis=0)
        s = R.sort(c, axis=0)
        i = R.argsort(c, axis=0, descending=True)
        return (s, i)
