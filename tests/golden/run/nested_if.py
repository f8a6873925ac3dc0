# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), dtype="float32"), c: R.Tensor((), dtype="bool"), d: R.Tensor((), dtype="bool")) -> R.Tensor((12,), dtype="float32"):
        if c:
            if d:
                a = R.reshape(x, R.shape([3, 4]))
                a1 = R.permute_dims(a)
                q = R.reshape(a1, R.shape([12]))
            else:
                b = R.reshape(x, R.shape([6, 2]))
                b1 = R.permute_dims(b)
                q = R.reshape(b1, R.shape([12]))
            y = R.multiply(q, R.const(2.0, "float32"))
        else:
            if d:
                y = R.reshape(x, R.shape([12]))
            else:
                e = R.exp(x)
                y = R.reshape(e, R.shape([12]))
        return y
