# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def even(n: R.Tensor((), dtype="int64"), acc: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        cls = Module
        z = R.equal(n, R.const(0, "int64"))
        if z:
            r = acc
        else:
            m = R.subtract(n, R.const(1, "int64"))
            a = R.add(acc, R.const(2, "int64"))
            r = cls.odd(m, a)
        return r

    @R.function
    def odd(n: R.Tensor((), dtype="int64"), acc: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        cls = Module
        z = R.equal(n, R.const(0, "int64"))
        if z:
            r = acc
        else:
            m = R.subtract(n, R.const(1, "int64"))
            a = R.add(acc, R.const(3, "int64"))
            r = cls.even(m, a)
        return r

    @R.function
    def main(n: R.Tensor((), dtype="int64")) -> R.Tensor((), dtype="int64"):
        cls = Module
        r = cls.even(R.const(-1, "int64"), n)
        return r
