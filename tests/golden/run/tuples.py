# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def sub(t: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="int32"), R.Shape(["n"])))) -> R.Tuple(R.Tuple(R.Shape(ndim=1), R.Tensor((2,), dtype="int32")), R.Tensor((2,), dtype="float32")):
        n = T.int64()
        a = t[0]
        b = t[1]
        c = b[0]
        d = b[1]
        return ((d, c), a)

    @R.function
    def main(t: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tuple(R.Tensor((2,), dtype="int32"), R.Shape(["n"])))) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="int32"), R.Shape(ndim=1), R.Tuple):
        n = T.int64()
        cls = Module
        r = cls.sub(t)
        p = r[0]
        q = r[1]
        u = p[1]
        s = p[0]
        return (q, u, s, R.tuple())
