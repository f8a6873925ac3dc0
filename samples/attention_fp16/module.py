# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 32), dtype="float16"), p_0: R.Tensor((32, 32), dtype="float16"), p_1: R.Tensor((32, 32), dtype="float16"), p_2: R.Tensor((32, 32), dtype="float16"), p_3: R.Tensor((32, 32), dtype="float16")) -> R.Tensor(("n", 32), dtype="float16"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q: R.Tensor((n, 32), dtype="float16") = R.matmul(x, p_0, out_dtype="void")
            k: R.Tensor((n, 32), dtype="float16") = R.matmul(x, p_1, out_dtype="void")
            v: R.Tensor((n, 32), dtype="float16") = R.matmul(x, p_2, out_dtype="void")
            q_heads: R.Tensor((n, 4, 8), dtype="float16") = R.reshape(q, R.shape([n, 4, 8]))
            k_heads: R.Tensor((n, 4, 8), dtype="float16") = R.reshape(k, R.shape([n, 4, 8]))
            v_heads: R.Tensor((n, 4, 8), dtype="float16") = R.reshape(v, R.shape([n, 4, 8]))
            q_t: R.Tensor((4, n, 8), dtype="float16") = R.permute_dims(q_heads, axes=[1, 0, 2])
            k_t: R.Tensor((4, 8, n), dtype="float16") = R.permute_dims(k_heads, axes=[1, 2, 0])
            v_t: R.Tensor((4, n, 8), dtype="float16") = R.permute_dims(v_heads, axes=[1, 0, 2])
            scores: R.Tensor((4, n, n), dtype="float16") = R.matmul(q_t, k_t, out_dtype="void")
            scaled: R.Tensor((4, n, n), dtype="float16") = R.multiply(scores, R.const(0.353515625, "float16"))
            top: R.Tensor((4, n, 1), dtype="float16") = R.max(scaled, axis=[-1], keepdims=True)
            shifted: R.Tensor((4, n, n), dtype="float16") = R.subtract(scaled, top)
            powers: R.Tensor((4, n, n), dtype="float16") = R.exp(shifted)
            total: R.Tensor((4, n, 1), dtype="float16") = R.sum(powers, axis=[-1], keepdims=True)
            weights: R.Tensor((4, n, n), dtype="float16") = R.divide(powers, total)
            mixed: R.Tensor((4, n, 8), dtype="float16") = R.matmul(weights, v_t, out_dtype="void")
            mixed_t: R.Tensor((n, 4, 8), dtype="float16") = R.permute_dims(mixed, axes=[1, 0, 2])
            joined: R.Tensor((n, 32), dtype="float16") = R.reshape(mixed_t, R.shape([n, 32]))
            gv: R.Tensor((n, 32), dtype="float16") = R.matmul(joined, p_3, out_dtype="void")
            R.output(gv)
        return gv
