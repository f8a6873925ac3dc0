# Bounds of symbols make storage of a size known beforehand, for results too where the function asks for it.
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.handle, B: T.handle):
        T.evaluate(0)

    @R.function
    def main(x: R.Tensor(("b", "v"), "float32"), y: R.Tensor(("k",), "float32")) -> R.Tensor(("b", "v"), "float32"):
        b = T.int64()
        v = T.int64()
        k = T.int64()
        R.func_attr({"relax.force_pure": True, "relax.memory_plan_dynamic_func_output": True, "tir_non_negative_var": ["v"], "tir_var_upper_bound": {"b": 32}})
        cls = Module
        bounded = R.builtin.alloc_tensor(R.shape([2 * (b * v * 4) + 4096]), R.dtype("uint8"), R.prim_value(0), R.str("global"))
        _ = cls.f(x, bounded)
        # k may be anything, so that b * k has no bound of which the sign is known.
        unbounded = R.builtin.alloc_tensor(R.shape([b * k]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _1 = cls.f(bounded, unbounded)
        result = R.builtin.alloc_tensor(R.shape([b, v]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _2 = cls.f(unbounded, result)
        return result
