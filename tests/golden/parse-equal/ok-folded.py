# Values that the reader folds, names of other eras, makers by their Python names.
@I.ir_module(s_tir=True)
class Module:
    I.module_global_infos({"vdevice": [tvm.ir.VDevice("llvm", 0, "global")]})

    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "uint8")):
        A[0] = T.min(2.2, 5.2)
        A[1] = tvm.tirx.const(1.5, "float32")
        B[0] = T.call_llvm_pure_intrin("uint8", T.llvm_lookup_intrinsic_id("llvm.ctpop.i8"), B[0])
        A[0:4] = T.Cast("float32x4", A[0:4] > 5)
        T.evaluate((A[0:4] > 0) and (A[4:8] > 0))
        assert A[0] == T.float32(1), "Message"
        T.evaluate(0)

    @R.function
    def main(x: R.Tensor(ndim=2, dtype="float32"), i: R.Tensor((2, 2, 2), "int32")):
        n, k = T.int64(), T.int64(16)
        y = R.match_cast(x, R.Tensor((n, k), "float32"))
        z = R.nn.pad(y, R.const(0, "float32"), pad_width=[0, 0, 1, 1], pad_mode="constant")
        return z
