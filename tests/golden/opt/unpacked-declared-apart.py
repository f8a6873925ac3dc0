from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True, private=True)
    def decode(A: T.Buffer((64, 12), "uint32"), B: T.Buffer((64, 3), "float32"), C: T.Buffer((64, 96), "float32")):
        for i, j in T.grid(64, 96):
            with T.sblock("decode"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = (T.Cast("float32", T.bitwise_and(T.shift_right(A[vi, vj // 8], T.Cast("uint32", vj % 8 * 4)), T.uint32(15))) - T.float32(7)) * B[vi, vj // 32]

    @R.function
    def main(x: R.Tensor((2, 64), "float32"), w: R.Tensor((64, 12), "uint32"), s: R.Tensor((64, 3), "float32")) -> R.Tensor((2, 96), "float32"):
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.decode, (w, s), out_sinfo=R.Tensor((64, 96), "float32"))
            y = R.matmul(x, d)
            R.output(y)
        return y
