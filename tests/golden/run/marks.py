from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def flip(var_a: T.handle, var_b: T.handle):
        n = T.int64()
        A = T.match_buffer(var_a, (n,), "float32")
        B = T.match_buffer(var_b, (n,), "float32")
        for i in range(n):
            B[i] = A[n - T.int64(1) - i]

    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(ndim=1, dtype="float32")) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor(("n",), "float16"), R.Tensor(ndim=1, dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.builtin.stop_lift_params(x)
            b = R.hint_on_device(a, R.device(1, 0))
            c = R.call_tir_with_grad(cls.flip, (b,), out_sinfo=R.Tensor((n,), "float32"), te_grad_name="f", te_grad_kwargs={})
            d = R.wrap_param(c, "float16")
            e = R.builtin.stop_lift_params(y)
            gv = (c, d, e)
            R.output(gv)
        return gv
