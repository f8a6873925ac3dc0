# A tuple's fields are told apart: the storage of `a` is free again while `b` is still to be used.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.handle, B: T.handle):
        T.evaluate(0)

    @R.function
    def main(x: R.Tensor((4, 4), "float32")) -> R.Tensor((4, 4), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _ = cls.f(x, a)
        b = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1 = cls.f(x, b)
        t = ((a, b), x)
        u = t[0]
        first = u[0]
        c = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _2 = cls.f(first, c)
        d = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _3 = cls.f(u[1], d)
        return x
