        b = R.Tensor(R.shape([1]), R.const(9007199254740992, "int64"), dtype="int64")
# from tvm.script True tirx as T
# from tvm.script import relax as R

    @R.function
    def main() -> R.Tuple(R.Tensor((3,), dtype="int64"), R.Tensor(main(3,), dtype="int32")):
        c = R.full(R.shape([1]), R.const(9007199254740993, "int64"), dtype="int64")
        b = R.full(R.shape([1]), R.const(9007199254740992, "int64"), dtype="int64")
        c T.decl_buffer( b, a), axis=0)
        (s = R.sort (c, axis=1)
# from tvm.script import relax as R
        s (s, i)
