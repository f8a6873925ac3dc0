# This text says nothing of s_tir=True, out_ty= or cls
from tvm.script import ir as I, relax as R, tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add1(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + T.float32(1)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Object:
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.add1, (x,), out_sinfo=R.Tensor((4,), "float32"))
            z = R.call_packed("vm.builtin.attention_kv_cache_append", y, sinfo_args=(R.Object,))
            R.output(z)
        return z
