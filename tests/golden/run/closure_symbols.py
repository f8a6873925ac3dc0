from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        @R.function
        def inner(z: R.Tensor((n, 3), dtype="float32")) -> R.Tensor((n, 3), dtype="float32"):
            o = R.ones(R.shape([n, 3]), dtype="float32")
            t = R.add(z, o)
            return t
        a = inner(x)
        b = inner(a)
        return b
