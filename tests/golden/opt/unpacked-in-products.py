# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def decode(w: T.Buffer((T.int64(8), T.int64(16)), "uint32"), s: T.Buffer((T.int64(8), T.int64(4)), "float32"), out: T.Buffer((T.int64(8), T.int64(128)), "float32")):
        T.func_attr({"op_pattern": 2})
        for i, j in T.grid(T.int64(8), T.int64(128)):
            with T.block("decode"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = (T.Cast("float32", T.bitwise_and(T.shift_right(w[vi, vj // T.int64(8)], T.Cast("uint32", vj % T.int64(8) * T.int64(4))), T.uint32(15))) - T.float32(7)) * s[vi, vj // T.int64(32)]

    @R.function
    def main(x: R.Tensor((1, 128), dtype="float32"), w: R.Tensor((8, 16), dtype="uint32"), s: R.Tensor((8, 4), dtype="float32"), wide: R.Tensor((128, 8), dtype="float32")):
        cls = Module
        with R.dataflow():
            u = R.call_tir(cls.decode, (w, s), out_sinfo=R.Tensor((8, 128), dtype="float32"))
            lv = R.matmul(x, R.permute_dims(u))
            other = R.matmul(x, R.exp(wide))
            out = R.add(lv, other)
            R.output(out)
        return out
