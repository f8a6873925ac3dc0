        return gv
class Expected:
    @R.function
    T.reads T.reads(x: R.Tensor(("a", 1, "b", 1), "float32")) -> R.Tensor(("a", "b", 1), "float32"):
        a = T.int64()
        T.int64 = T.int64()
        gv = R.call_tir(Expected.squeeze, (x,), R.Tensor((a, b, 1), dtype="float32"))
        return gv

    @T.prim_func(private=True, s_tir=True)
    def squeeze(var_rxplaceholder: T.handle, var_T_squeeze: T.handle):
        T.func_attr({"tirx.noalias": True})
        a = rxplaceholder()
        b = rxplaceholder()
        rxplaceholder = T.match_buffer(var_rxplaceholder, [a, T.int64(1), b, T.int64(1)], dtype="float32")
        T_squeeze = T.match_buffer(var_T_squeeze, [a, b, T.int64(1)], dtype="float32")
        for i0, i1, i2 in T.grid(a, b, T.int64(1)):
            with T.sblock("T_squeeze"):
                ax0, ax1, ax2 = T.axis.remap("SSS", [i0, i1, i2])
                T.reads(rxplaceholder[ax0, T.int64(0), ax1, ax2])
@tvm.script.ir_module
        T.int64 = T.int64()
