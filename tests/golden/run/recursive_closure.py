from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((3,), dtype="float32"), i: R.Tensor((), dtype="int32")) -> R.Tensor((3,), dtype="float32"):
        @R.function
        def loop(k: R.Tensor((), dtype="int32"), s: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
            c = R.less(k, R.const(5, "int32"))
            if c:
                k1 = R.add(k, R.const(1, "int32"))
                s1 = R.add(s, x)
                r = loop(k1, s1)
            else:
                r = s
            return r
        a = loop(i, x)
        return a
