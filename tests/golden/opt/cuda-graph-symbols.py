from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor(("n",), "float32"), s: R.Shape(["m"])):
        R.func_attr({"num_input": 1, "relax.force_pure": True, "relax.rewrite_cuda_graph.capture_symbolic_vars": ["m"]})
        n = T.int64()
        m = T.int64()
        y = R.call_packed("twice", w, R.shape([n, m]), sinfo_args=R.Tensor((n,), "float32"))
        z = R.call_packed("twice", y, sinfo_args=R.Tensor((n + 1,), "float32"))
        r = R.call_packed("mix", x, z, sinfo_args=R.Tensor((4,), "float32"))
        return r
