# A view lives in the storage of what it shows: that storage is not given to `b`, nor to any other where it is returned.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.handle, B: T.handle):
        T.evaluate(0)

    @R.function
    def main(x: R.Tensor((4, 4), "float32")) -> R.Tensor((16,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _ = cls.f(x, a)
        view = R.call_packed("vm.builtin.reshape", a, R.shape([16]), sinfo_args=(R.Tensor((16,), "float32"),))
        b = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1 = cls.f(view, b)
        used = R.call_packed("vm.builtin.copy", b, sinfo_args=(R.Tensor((4, 4), "float32"),))
        c = R.builtin.alloc_tensor(R.shape([4, 4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _2 = cls.f(used, c)
        return view
