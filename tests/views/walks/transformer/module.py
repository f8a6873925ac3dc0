# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), q_0: R.Tensor((8, 8), dtype="float32"), k_0: R.Tensor((8, 8), dtype="float32"), v_0: R.Tensor((8, 8), dtype="float32"), o_0: R.Tensor((8, 8), dtype="float32"), up_0: R.Tensor((8, 16), dtype="float32"), down_0: R.Tensor((16, 8), dtype="float32"), q_1: R.Tensor((8, 8), dtype="float32"), k_1: R.Tensor((8, 8), dtype="float32"), v_1: R.Tensor((8, 8), dtype="float32"), o_1: R.Tensor((8, 8), dtype="float32"), up_1: R.Tensor((8, 16), dtype="float32"), down_1: R.Tensor((16, 8), dtype="float32")) -> R.Tensor((4, 8), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            q0_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(x, q_0, out_dtype="void")
            k0_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(x, k_0, out_dtype="void")
            v0_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(x, v_0, out_dtype="void")
            k0_t: R.Tensor((8, 4), dtype="float32") = R.permute_dims(k0_proj, axes=[1, 0])
            scores0: R.Tensor((4, 4), dtype="float32") = R.matmul(q0_proj, k0_t, out_dtype="void")
            probs0: R.Tensor((4, 4), dtype="float32") = R.nn.softmax(scores0, axis=-1)
            mixed0: R.Tensor((4, 8), dtype="float32") = R.matmul(probs0, v0_proj, out_dtype="void")
            o0_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(mixed0, o_0, out_dtype="void")
            added0: R.Tensor((4, 8), dtype="float32") = R.add(x, o0_proj)
            up0_proj: R.Tensor((4, 16), dtype="float32") = R.matmul(added0, up_0, out_dtype="void")
            active0: R.Tensor((4, 16), dtype="float32") = R.nn.relu(up0_proj)
            down0_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(active0, down_0, out_dtype="void")
            layer0: R.Tensor((4, 8), dtype="float32") = R.add(added0, down0_proj)
            q1_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(layer0, q_1, out_dtype="void")
            k1_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(layer0, k_1, out_dtype="void")
            v1_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(layer0, v_1, out_dtype="void")
            k1_t: R.Tensor((8, 4), dtype="float32") = R.permute_dims(k1_proj, axes=[1, 0])
            scores1: R.Tensor((4, 4), dtype="float32") = R.matmul(q1_proj, k1_t, out_dtype="void")
            probs1: R.Tensor((4, 4), dtype="float32") = R.nn.softmax(scores1, axis=-1)
            mixed1: R.Tensor((4, 8), dtype="float32") = R.matmul(probs1, v1_proj, out_dtype="void")
            o1_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(mixed1, o_1, out_dtype="void")
            added1: R.Tensor((4, 8), dtype="float32") = R.add(layer0, o1_proj)
            up1_proj: R.Tensor((4, 16), dtype="float32") = R.matmul(added1, up_1, out_dtype="void")
            active1: R.Tensor((4, 16), dtype="float32") = R.nn.relu(up1_proj)
            down1_proj: R.Tensor((4, 8), dtype="float32") = R.matmul(active1, down_1, out_dtype="void")
            layer1: R.Tensor((4, 8), dtype="float32") = R.add(added1, down1_proj)
            R.output(layer1)
        return layer1
