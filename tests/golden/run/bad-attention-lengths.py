from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(q: R.Tensor((1, 4, 1, 8), dtype="float32"), s: R.Tensor((2,), dtype="int32"), m: R.Tensor((), dtype="int32")):
        return R.nn.attention_var_len(q, q, q, s, m, s, m)
