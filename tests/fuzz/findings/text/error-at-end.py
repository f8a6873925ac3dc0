@I.ir_module
class Expected:
    I.module_attrs({"foo": "bar"})

    @T.prim_func(private=True)
    def fused_add_exp_squeeze(
        x: T.Buffer((T.int64(10), T.int64(20)), "float32"), p0: T.Buffer((), "float32")
    ):
        T.func_attr({"tir.noalias": T.bool(True)})
        for ax0, ax1 in T.grid(T.int64(10), T.int64(20)):
            with T.block("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                x[v_ax0, v_ax1] = x[v_ax0, v_ax1] + p0[()]
        for i0, i1 in T.grid(T.int64(10), T.int64(20)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                x[v_i0, v_i1] = T.exp(x[v_i0, v_i1])
        for ax0, ax1 in T.grid(T.int64(10), T.int64(20)):
            with T.block("T_squeeze"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                x[v_ax0, v_ax1] = x[v_ax0, v_ax1]

    # note that this will clobber x! Use with caution
    @R.function
  
