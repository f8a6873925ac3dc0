from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), a: R.Tensor((), dtype="bool"), b: R.Tensor((), dtype="bool")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        if a:
            u = R.add(x, R.const(1.0, "float32"))
            if b:
                v = R.multiply(u, u)
                if a:
                    w = R.sin(v)
                else:
                    w = R.cos(v)
                q = (w, R.reshape(u, R.shape([2, 2])))
            else:
                q = (u, R.reshape(x, R.shape([2, 2])))
            r = q
        else:
            s = R.reshape(x, R.shape([2, 2]))
            r = (x, s)
        return r
